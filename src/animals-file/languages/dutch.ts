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
    other:
      'eigenaar, baas, adoptant, contactpersoon, gastgezin, pleeggezin, voornaam, achternaam, telefoon, adres, woonplaats, postcode, ras, geslacht, kleur, vacht, grootte, gewicht, leeftijd, geboren, geboortedatum, geboorte, omschrijving, beschrijving, opmerking, opmerkingen, notities, foto, locatie, hok, verblijf, herkomst, reden, gezondheid, gecastreerd, gesteriliseerd, castratie, ingeënt, vaccinatie, vaccinaties, prijs, plaatsingskosten, karakter, dierenarts, workflow-fase, workflow',
  },
  statuses: {
    available:
      'beschikbaar, plaatsbaar, ter adoptie, te plaatsen, zoekt baas, zoekt baasje, zoekt een thuis, zoekt thuis, vrij, ter plaatsing, adopteerbaar, beschikbaar voor adoptie, beschikbaar voor plaatsing, kan geplaatst worden, herplaatser',
    pending:
      'gereserveerd, gereserveerd*, optie, in optie, onder optie, in behandeling aanvraag, aanvraag, op proef, proefplaatsing, proefperiode, in afwachting van adoptie, afspraak, kennismaking, in plaatsing',
    foster:
      'gastgezin, in gastgezin, pleeggezin, in pleeggezin, opvanggezin, in opvanggezin, opvangadres, bij gastgezin, op gastgezin',
    sold: 'geplaatst, geplaatst*, geadopteerd, adoptie, verkocht, herplaatst, thuis gevonden, heeft een thuis, nieuw thuis gevonden, nieuwe eigenaar',
    gone: 'overleden, dood, gestorven, geëuthanaseerd, euthanasie, ingeslapen, inslapen, laten inslapen, terug naar eigenaar, terug eigenaar, retour eigenaar, terug bij eigenaar, terug naar baas, opgehaald door eigenaar, opgehaald, eigenaar gevonden, teruggebracht naar eigenaar, overgeplaatst, overplaatsing, overgedragen, ander asiel, naar ander asiel, andere opvang, ontsnapt, weggelopen, vermist, gestolen, uitgezet, teruggezet, tnr, tnrc, vrijgelaten, vertrokken, uitgeschreven',
    none: 'niet beschikbaar, niet plaatsbaar, nog niet*, nog niet beschikbaar, quarantaine, in quarantaine, in observatie, observatie, in behandeling, ziek, medisch*, medische zorg, bij dierenarts, dierenarts, herstellende, in opvang, opvang, in asiel, gevonden, vondeling, nieuw, nieuw binnen, binnengekomen, wettelijke termijn, wachttijd, bewaartermijn, beslag, in beslag genomen, inbeslagname, pension, rusthuis, blijver, onbekend, anders, overig, te jong, binnenkort, afstand, intake, gedragstest, in training, socialisatie, niet te plaatsen',
    not: 'niet, geen, nog niet',
  },
  species: {
    dog: 'hond, honden, teef, reu',
    puppy: 'pup, pups, puppy',
    cat: 'kat, katten, poes, poezen, kater',
    kitten: 'kitten, kittens',
    rabbit: 'konijn, konijnen',
    'guinea pig': "cavia, cavia's",
    hamster: 'hamster, hamsters',
    mouse: 'muis, muizen',
    rat: 'rat, ratten',
    ferret: 'fret, fretten',
    rodent: 'knaagdier, knaagdieren',
    'small animal': 'klein dier, kleine dieren, kleinvee',
    bird: 'vogel, vogels, duif, duiven',
    parrot: 'papegaai, parkiet, parkieten',
    chicken: 'kip, kippen, haan',
    duck: 'eend, eenden',
    goose: 'gans, ganzen',
    horse: 'paard, paarden, pony',
    donkey: 'ezel, ezels',
    goat: 'geit, geiten',
    sheep: 'schaap, schapen',
    pig: 'varken, varkens',
    cow: 'koe, koeien',
    livestock: 'boerderijdier, boerderijdieren',
    reptile: 'reptiel, reptielen, hagedis',
    snake: 'slang, slangen',
    turtle: 'schildpad, schildpadden',
    fish: 'vis, vissen',
    wildlife: 'wild dier, wilde dieren',
    other: 'overig, overige, anders, andere',
  },
  yes: 'ja, waar',
  no: 'nee, onwaar',
  total: 'totaal, som, aantal, pagina, afgedrukt',
}
