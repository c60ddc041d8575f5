/** The Dutch table; language.ts explains its entries. */
import type { Language } from './language.ts'

export const dutch: Language = {
  headings: {
    animal: 'dier, dieren, huisdier, hond, kat, honden, katten',
    name: 'naam, namen, roepnaam, diernaam',
    species: 'soort, diersoort, soort dier, categorie, dierensoort',
    type: 'type',
    status:
      'status, stand, beschikbaarheid, plaatsingsstatus, adoptiestatus, toestand, fase, dierstatus, huidige status, plaatsbaarheid',
    outcome: 'uitstroom, uitgang, reden uitstroom, vertrek, bestemming, afgang',
    number:
      'nr, nummer, id, code, dossiernummer, diernummer, dier nr, kenmerk, referentie, volgnummer, registratienummer',
    chip: 'chip, chipnr, chipnummer, chip nr, transponder, transpondernummer, tatoeage',
    came: 'intake, binnenkomst, binnen, binnengekomen, opname, aankomst, instroom, datum binnen',
    date: 'datum, op, sinds, dag',
    small: 'huidig, huidige, van, het, de, in, laatste, ons, adoptie',
    past: 'vorige, vorig, herkomst, reden binnenkomst, reden van binnenkomst, reden intake, reden opname, reden van opname',
    unit: 'hok, kennel, kooi, factuur, hoknummer',
    place: 'locatie, verblijf, plek, gezondheid',
    breed: 'ras',
    other:
      'eigenaar, baas, adoptant, contactpersoon, gastgezin, pleeggezin, voornaam, achternaam, telefoon, adres, woonplaats, postcode, geslacht, kleur, vacht, grootte, gewicht, leeftijd, geboren, geboortedatum, geboorte, omschrijving, beschrijving, opmerking, opmerkingen, notities, foto, reden, gecastreerd, gesteriliseerd, castratie, ingeënt, vaccinatie, vaccinaties, prijs, plaatsingskosten, karakter, dierenarts, workflow-fase, workflow',
  },
  statuses: {
    available:
      'beschikbaar, plaatsbaar, ter adoptie, te plaatsen, zoekt baas, zoekt baasje, zoekt een thuis, zoekt thuis, vrij, ter plaatsing, adopteerbaar, beschikbaar voor adoptie, beschikbaar voor plaatsing, kan geplaatst worden, herplaatser',
    pending:
      'gereserveerd, gereserveerd*, optie, in optie, onder optie, in behandeling aanvraag, aanvraag, op proef, proefplaatsing, proefperiode, in afwachting van adoptie, afspraak, kennismaking, in plaatsing',
    foster:
      'gastgezin, in gastgezin, pleeggezin, in pleeggezin, opvanggezin, in opvanggezin, opvangadres, bij gastgezin, op gastgezin',
    sold: 'geplaatst, geplaatst*, geadopteerd, adoptie, verkocht, herplaatst, thuis gevonden, heeft een thuis, nieuw thuis gevonden, nieuwe eigenaar',
    gone: 'overleden, dood, gestorven, geëuthanaseerd, euthanasie, ingeslapen, inslapen, laten inslapen, terug naar eigenaar, terug eigenaar, retour eigenaar, terug bij eigenaar, terug naar baas, opgehaald door eigenaar, opgehaald, eigenaar gevonden, teruggebracht naar eigenaar, overgeplaatst, overgedragen, ander asiel, naar ander asiel, andere opvang, ontsnapt, weggelopen, gestolen, uitgezet, teruggezet, tnr, tnrc, vrijgelaten, vertrokken, uitgeschreven, overleden*, naar eigenaar, retour naar eigenaar, afgestaan aan ander asiel',
    moved: 'overplaatsing, vermist',
    came: 'gevonden, vondeling, afstand, zwerfdier, zwerver, inbeslagname, in beslag genomen, beslag, intake, binnengekomen, geboren, politie, dierenambulance, retour, terug, onbekend, anders, overig',
    withheld: 'quarantaine, in quarantaine, niet beschikbaar, niet plaatsbaar',
    none: 'nog niet*, nog niet beschikbaar, in observatie, observatie, in behandeling, ziek, medisch*, medische zorg, bij dierenarts, dierenarts, herstellende, in opvang, opvang, in asiel, nieuw, nieuw binnen, wettelijke termijn, wachttijd, bewaartermijn, pension, rusthuis, blijver, te jong, binnenkort, gedragstest, in training, socialisatie, niet te plaatsen',
    not: 'niet, geen, nog niet',
  },
  yes: 'ja, waar',
  no: 'nee, onwaar',
  total: 'totaal, som, aantal, pagina, afgedrukt',
  months: 'januari, februari, maart mrt, april, mei, juni, juli, augustus, september, oktober, november, december',
}
