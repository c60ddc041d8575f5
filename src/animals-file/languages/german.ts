/** The German table; language.ts explains its entries. */
import type { Language } from './language.ts'

export const german: Language = {
  headings: {
    animal: 'tier, tiere, tieres, tiers, hunde, katzen, schützling, schützlings, haustier',
    name: 'name, namen, rufname, tiername, tiernamen',
    species: 'tierart, tierarten, art, gattung, spezies, tiergruppe, kategorie',
    type: 'typ',
    status:
      'status, zustand der vermittlung, vermittlungsstatus, vermittlungsstand, stand, verfügbarkeit, tierstatus, vermittlung, zustand, bestand',
    outcome: 'verbleib, abgang, abganges, abgangs, abgangsart, abgangsgrund, ausgang',
    number:
      'nr, nummer, id, kennung, lfd nr, laufende nummer, tiernummer, tiernr, tier nr, aktenzeichen, kennnummer, code, inventarnummer, karteinummer, lfdnr',
    chip: 'chip, chipnr, chipnummer, chip nr, transponder, transpondernummer, mikrochip, tasso, tassonummer, tasso nr, tätowierung',
    came: 'aufnahme, aufgenommen, ankunft, eingang, zugang, aufnahmedatum, eingangsdatum, zugangsdatum, abgabe, einlieferung, fund, funddatum',
    date: 'datum, am, seit, tag, zeitpunkt, uhrzeit',
    small: 'aktuell, art des, aktueller, aktuelle, der, die, das, des, von, im, für, lfd, laufende, unser, unsere',
    past: 'vorher, früher, vorherig, vorheriger, herkunft, fundort, fundumstände, abgabegrund, aufnahmegrund, grund der aufnahme, grund der abgabe',
    unit: 'zwinger, box, gehege, rechnung, rechnungsnr, steuer, marke, zwingernummer',
    place: 'standort, aufenthalt, aufenthaltsort, ort, platz, gesundheit',
    breed: 'rasse, rassen',
    other:
      'besitzer, halter, eigentümer, vorbesitzer, ansprechpartner, pflegestelle, pfleger, pate, paten, adoptant, übernehmer, interessent, finder, vorname, nachname, telefon, adresse, plz, strasse, geschlecht, farbe, fell, fellfarbe, grösse, gewicht, alter, geb, geboren, geburtsdatum, geburtstag, geburtsjahr, bemerkung, bemerkungen, notiz, notizen, beschreibung, info, foto, bild, bilder, grund, kastriert, kastration, geimpft, impfung, impfungen, impfstatus, gechippt, entwurmt, verträglich, verträglichkeit, schutzgebühr, gebühr, preis, raum, stubenrein, charakter, vermittelt am',
  },
  statuses: {
    available:
      'zu vermitteln, in vermittlung, zur vermittlung, vermittelbar, verfügbar, frei, zuhause gesucht, sucht zuhause, sucht ein zuhause, sucht, zu haben, abzugeben, vermittlungsbereit, offen, zu vergeben, vermittlungstier, suchend, adoptierbar, wird vermittelt, bereit zur vermittlung, notfall, notfellchen, in der vermittlung, auf der suche, wartet auf zuhause',
    pending:
      'reserviert, res, vorgemerkt, vermittlung läuft, in bearbeitung, probe*, zur probe, auf probe, probewohnen, interessent*, interessenten vorhanden, pending, anfrage, angefragt, zugesagt, vorreserviert, unter vorbehalt, auf pflegestelle reserviert',
    foster: 'pflegestelle, auf pflegestelle, in pflege, pflegefamilie, pflegeplatz, in pflegestelle, auf pflegeplatz',
    sold: 'vermittelt*, adoptiert, verkauft, abgegeben, zuhause gefunden, hat ein zuhause, ausgezogen, in neuem zuhause, im neuen zuhause, glücklich vermittelt, endlich zuhause, zu hause angekommen, vermittlung, vergabe, vergabe an private, vergeben, privat vergeben',
    gone: 'verstorben, gestorben, tot, eingeschläfert, euthanasiert, regenbogenbrücke, über die regenbogenbrücke, zurück an besitzer, zurück an den besitzer, zurück an halter, zurück beim besitzer, vom besitzer abgeholt, vom halter abgeholt, abgeholt, rückgabe an besitzer, rückgabe*, dem besitzer zurückgegeben, zurückgegeben, an eigentümer zurück, an halter zurück, an besitzer zurück, übergeben, übernommen von anderem verein, verlegt, umgesetzt, entwischt, verschwunden, ausgewildert, freigelassen, anderes tierheim, an anderes tierheim, abgang, entsorgt, gelöscht, weitergeleitet, übernahme durch anderen verein, zurück zum besitzer, tod, euthanasie, einschläferung, rückgabe an halter, freilassung, auswilderung, abgabe an partnertierheim, abgabe an anderes tierheim, abgabe an verein, an verein, an verein übergeben, überstellung, überstellt, verstorben*',
    moved: 'übernahme, übernommen, transfer, vermisst, entlaufen',
    came: 'fund, fundtier*, abgabetier, abgabe, aufnahme, beschlagnahmt, sicherstellung, sichergestellt, herrenlos, ausgesetzt, polizei, feuerwehr, amt, behörde, veterinäramt, besitzer, rückläufer, geboren, unbekannt, sonstige*',
    withheld: 'quarantäne*, in quarantäne, nicht vermittelbar, nicht verfügbar, nicht zu vermitteln',
    none: 'nicht in vermittlung, noch nicht*, neu, neuzugang, beobachtung, in behandlung, behandlung, krank, krankenstation, tierarzt, beim tierarzt, tierklinik, in klinik, gesperrt, verwahrung, amtlich verwahrt, pension, pensionstier, gnadenhof, gnadenbrot, dauergast, dauerpflegestelle, dauerpflegeplatz, wartet, eingewöhnung, im tierheim, intern, trächtig, ohne status, patentier, zu jung, schon angekommen',
    not: 'nicht, kein, keine, noch nicht',
  },
  yes: 'ja, j, wahr',
  no: 'nein, falsch',
  total: 'summe, gesamt, anzahl, insgesamt, gedruckt, seite, stand, ende',
  months:
    'januar jänner jan, februar feber, märz mär mrz, april, mai, juni, juli, august, september, oktober okt, november, dezember dez',
}
