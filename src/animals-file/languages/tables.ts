/** The words of lists in each language: a heading of a list, a status (=), a breed (~) or another entry (.) a line. */
export const TABLES: readonly string[] = [
  // English
  `animal: animal, animals, animal's, pet, pets, pet's, creature, patient
  name: name, names, called, nickname, title rendered
  species: species, specie, kind, category, categoryid, category id, species group, classification
  type: type, group, class
  status: status, stat, process state, animal state, pet state, current state, care status, state of adoption, availability, stage, disposition, placement, record type, adoptability, adoption state
  outcome: outcome, out, disp, disposal, disposed, release, released, depart, departed, movement, exit, operation, final outcome, departure, leaving
  number: id, ids, number, no, num, nr, nbr, code, ref, reference, identifier, identification, key, uid, uuid, #, shelter code, record id, external id, case number
  chip: chip, chipid, microchip, microchipnumber, chip id, registry, registration, arn, tattoo, rfid, ear tag
  came: intake, arrival, arrived, admission, admitted, came, incoming, received, brought in, entered your care, entry, impound, indate, in date, date in, datein, found, surrender, surrendered
  date: date, datetime, day, on, time, when, monthyear, timestamp, last update, last updated, lastupdate, updated, modified, dt
  small: what, who, which, kind of, what kind of, current, currently, details, record, file, latest, most recent, last, the, of, a, for, and, in, is, your, our, shelter, kennel, adoption, adopt, general, primary, main, 1, one, new, display, active, is, has, was, been, already
  past: previous, prev, former, prior, original, old, obtained, acquired, aquisition, acquisition, surrendering, pickup, reason for entry, reasonforentry, how obtained, how acquired, came from, relationship, entry category, entrycategory
  unit: kennel, run, invoice, lot, pen, stall, line, row, cage, cage number, license number, licence number, kennel number, impound number, collar, tag, receipt
  place: location, sublocation, place, room, building, kennel location, shelter location, animal location, condition, health, state of health
  breed: breed, breeds, primary breed, breed1, crossbreed
  other: owner, owner's, adopter, adopter's, adopters, foster, fosterer, person, people, contact, finder, caretaker, caregiver, staff, volunteer, vet, veterinarian, parent, guardian, surname, first name, last name, full name, shelter name, group name, firstname, lastname, email, e-mail, mail, phone, telephone, address, street, city, state, zip, zipcode, country, sex, gender, color, colour, colors, coat, hair, pattern, size, weight, age, ages, dob, birth, born, birthdate, birthday, description, desc, notes, note, memo, comments, comment, remarks, photo, photos, image, picture, url, link, website, video, crossing, jurisdiction, district, source, origin, reason, sub, subtype, altered, spay, spayed, neuter, neutered, neutering, fixed, sterilized, vaccinated, vaccination, vaccinations, shots, rabies, fiv, felv, heartworm, housetrained, declawed, special, needs, good, kids, dogs, cats, children, fee, price, cost, fees, bond, bonded, litter, los, days, stay, count, total, org, organization, agency, site, microchipped, chipped, dam, sire, license, licence, activity, request, hold, secondary, alternate, attributes, tags, hex, latitude, longitude, housed, behavior, behaviour, temperament, medical, diet, food, custody, mix, purebred, year, years, month, months, intake type, intake subtype, intake condition, litter name, litter id, link, objectid, _id
  = available: publish, published, available, avail*, adoptable, available for adoption, for adoption, ready for adoption, adoption ready, ready to adopt, ready to go, up for adoption, available to adopt, available now, awaiting adoption, waiting for adoption, awaiting home, awaiting adopter, awaiting a home, seeking home, seeking adopter, looking for home, looking for a home, looking for adopter, needs home, needs a home, needs adopter, adoption floor, on the adoption floor, adopt me, can be adopted, ready for a home, ready for home, available in foster, for sale
  = pending: pending, pend, pndg, pnd, adoption pending, hold, holding, on hold, held, reserved, reserve*, rsvd, trial*, trial adoption, foster to adopt, foster 2 adopt, fta, in process, process, processing, in progress, application*, applied, application pending, approved, meet and greet, meet & greet, promised, committed, commitment, deposit*, spoken for, optioned, option, adoption scheduled, appointment, pre-adopt*, preadopt*, pre adoption, adoption in process, adoption process, sleepover, waitlist, has home lined up, home check, homecheck, under contract, payment
  = foster: foster*, fost, fostr, in foster, foster home, foster care, in foster care
  = sold: adopted, adopt, adopt*, adoption, adptd, adpt, homed, rehomed, re-homed, rehome, rehoming complete, placed, sold, healthy in home, in home, in new home, new home, forever home, found home, found a home, found forever home, furever home, rto-adopt, rto adopt, adoption complete, finalized, foster fail, foster failure
  = gone: transfer*, returned to owner, return to owner, returned owner, owner return, rto*, rtg, reclaim*, redeem*, redemption, reunit*, claimed, claim, returned home, euth*, eu, put to sleep, put down, humane euthanasia, humanely euthanized, pts, died, die, dies, dead, death, deceas*, decd, doa, dead on arrival, expired, passed, passed away, passed on, rainbow bridge, crossed the bridge, stolen, escape*, disposal, disp, dispos*, disposed, destroyed, relocat*, releas*, rtf, tnr, tnvr, snr, rtw, rtfh, trap neuter return, trap neuter release, shelter neuter return, return to field, returned to field, return to habitat, return to wild, return to wild habitat, wildlife release, released to wild, to rescue, sent to rescue, pulled by rescue, pulled, shipped, gone, departed, left, no longer in care, out of care, moved, moved out, deleted, delete, removed, duplicate, trash, trashed, returned to finder, return to finder, return to rescue, returned to rescue, retailer, community cat, barn placement, working cat placement, homefirst, auction, auctioned, shelter partner, rip, r.i.p, with owner, hotel, not in care, non shelter, nonshelter, transferred, transferred out, transfer out, trnsf out, declined, withdrawn, withdrawn by owner, rejected, surrender withdrawn, owner kept, deceased on arrival, died in foster, service out, escaped, dead when found, born dead, stillborn, passed in care, discharged, moved on, completed adoption elsewhere
  = moved: transfer, transfers, transferring, transfer in, transferred in, xfer*, trans, trnsf*, tran, rescue, rescued, rescue group, rescue grp, rescue org*, transport*, missing, lost, lost report, found report
  = came: stray*, strays, found, intake, new intake, intake scheduled, surrender*, relinquish*, owner surrender, os, owner, owned, police, animal control, born in shelter, born here, born in care, confiscat*, seized, impound*, abandoned, dumped, spay*, neuter*, s/n, needs foster, foster needed, looking for foster, courtesy, courtesy listing, brought in, over the counter, otc, field, wildlife intake, purchased, trapped, hoarding, unknown, other, none, n/a, na, null, nan, tbd, unspecified, undetermined, not specified
  = withheld: not adoptd, cruelty, cruelty case, crueltycase, hidden, draft, quarantine*, quar, quarantin*, qtd, qtn, unavail*, not available, unadoptable, not adoptable, not for adoption, nfa, not yet available, do not adopt
  = none: registered, needs help, not ready, not listed, coming soon, soon, available soon, bite*, bite quarantine, evaluat*, eval, assess*, awaiting*, waiting*, under*, vet*, medical*, med, medical hold only, sick, ill, injured, treatment, surgery, recover*, rehab*, stray wait, new, new arrival, just arrived, court*, evidence, custody, protective custody, safekeep*, safe keeping, boarding, behavior*, behaviour*, training, isolation, iso, observation, too young, underage, under age, nursing, in shelter, at shelter, in care, in kennel, kennel, in custody, on site, sanctuary, resident, lab, clinic, out, pregnant, hospital, at vet, feral, special needs only, on review, review, incoming, intake pending, pending intake, pending evaluation, pending assessment, other hold only, working, processing intake, welfare assessment, declined intake, not accepted
  = not: not, non, no, never, un, isn't, fell through, cancelled, canceled, failed, returned, return, was, were, formerly, wanted, to be, needed, denied, no longer, fell thru, unsuccessful, except
  ~ dog: shepherd, retriever, labrador, lab, terrier, bulldog, bull dog, pit bull, pitbull, pit, chihuahua, husky, poodle, beagle, boxer, hound, spaniel, collie, dachshund, rottweiler, mastiff, pinscher, schnauzer, shih tzu, pug, corgi, heeler, cattle dog, doberman, maltese, pomeranian, great dane, akita, malamute, malinois, cane corso, pointer, setter, greyhound, whippet, yorkie, yorkshire, bichon, papillon, dalmatian, weimaraner, vizsla, catahoula, chow, dogo, sheepdog, kelpie, staffy, staffordshire, american bully, podenco, galgo, mutt, cur, basenji, samoyed, leonberger, pekingese, havanese, labradoodle, goldendoodle, cockapoo, jindo, jindogae, shiba
  ~ cat: dsh, dmh, dlh, domestic shorthair, domestic short hair, domestic sh, domestic mediumhair, domestic medium hair, domestic mh, domestic longhair, domestic long hair, domestic lh, domestic medium, american shorthair, british shorthair, european shorthair, siamese, persian, maine coon, ragdoll, bengal, sphynx, russian blue, tabby, tortie, tortoiseshell, calico, manx, himalayan, birman, burmese, abyssinian, tonkinese, korat, snowshoe, scottish fold, norwegian forest, ekh
  ~ rabbit: lop, lionhead, rex rabbit, netherland dwarf, holland lop, lop eared, new zealand white, flemish giant
  . yes: yes, y, true, t, 1, x, on, checked, ✓, ✔
  . no: no, n, false, f, 0, off, unchecked, -
  . total: total, totals, grand total, subtotal, sub total, count, sum, end of report, record count, records, printed, page, report
  . months: jan january, feb february, mar march, apr april, may, jun june, jul july, aug august, sep sept september, oct october, nov november, dec december`,
  // German
  `animal: tier, tiere, tieres, tiers, hunde, katzen, schützling, schützlings, haustier
  name: name, namen, rufname, tiername, tiernamen
  species: tierart, tierarten, art, gattung, spezies, tiergruppe, kategorie
  type: typ
  status: status, zustand der vermittlung, vermittlungsstatus, vermittlungsstand, stand, verfügbarkeit, tierstatus, vermittlung, zustand, bestand
  outcome: verbleib, abgang, abganges, abgangs, abgangsart, abgangsgrund, ausgang
  number: nr, nummer, id, kennung, lfd nr, laufende nummer, tiernummer, tiernr, tier nr, aktenzeichen, kennnummer, code, inventarnummer, karteinummer, lfdnr
  chip: chip, chipnr, chipnummer, chip nr, transponder, transpondernummer, mikrochip, tasso, tassonummer, tasso nr, tätowierung
  came: aufnahme, aufgenommen, ankunft, eingang, zugang, aufnahmedatum, eingangsdatum, zugangsdatum, abgabe, einlieferung, fund, funddatum
  date: datum, am, seit, tag, zeitpunkt, uhrzeit
  small: aktuell, art des, aktueller, aktuelle, der, die, das, des, von, im, für, lfd, laufende, unser, unsere
  past: vorher, früher, vorherig, vorheriger, herkunft, fundort, fundumstände, abgabegrund, aufnahmegrund, grund der aufnahme, grund der abgabe
  unit: zwinger, box, gehege, rechnung, rechnungsnr, steuer, marke, zwingernummer
  place: standort, aufenthalt, aufenthaltsort, ort, platz, gesundheit
  breed: rasse, rassen
  other: besitzer, halter, eigentümer, vorbesitzer, ansprechpartner, pflegestelle, pfleger, pate, paten, adoptant, übernehmer, interessent, finder, vorname, nachname, telefon, adresse, plz, strasse, geschlecht, farbe, fell, fellfarbe, grösse, gewicht, alter, geb, geboren, geburtsdatum, geburtstag, geburtsjahr, bemerkung, bemerkungen, notiz, notizen, beschreibung, info, foto, bild, bilder, grund, kastriert, kastration, geimpft, impfung, impfungen, impfstatus, gechippt, entwurmt, verträglich, verträglichkeit, schutzgebühr, gebühr, preis, raum, stubenrein, charakter, vermittelt am
  = available: zu vermitteln, in vermittlung, zur vermittlung, vermittelbar, verfügbar, frei, zuhause gesucht, sucht zuhause, sucht ein zuhause, sucht, zu haben, abzugeben, vermittlungsbereit, offen, zu vergeben, vermittlungstier, suchend, adoptierbar, wird vermittelt, bereit zur vermittlung, notfall, notfellchen, in der vermittlung, auf der suche, wartet auf zuhause
  = pending: reserviert, res, vorgemerkt, vermittlung läuft, in bearbeitung, probe*, zur probe, auf probe, probewohnen, interessent*, interessenten vorhanden, pending, anfrage, angefragt, zugesagt, vorreserviert, unter vorbehalt, auf pflegestelle reserviert
  = foster: pflegestelle, auf pflegestelle, in pflege, pflegefamilie, pflegeplatz, in pflegestelle, auf pflegeplatz
  = sold: vermittelt*, adoptiert, verkauft, abgegeben, zuhause gefunden, hat ein zuhause, ausgezogen, in neuem zuhause, im neuen zuhause, glücklich vermittelt, endlich zuhause, zu hause angekommen, vermittlung, vergabe, vergabe an private, vergeben, privat vergeben
  = gone: verstorben, gestorben, tot, eingeschläfert, euthanasiert, regenbogenbrücke, über die regenbogenbrücke, zurück an besitzer, zurück an den besitzer, zurück an halter, zurück beim besitzer, vom besitzer abgeholt, vom halter abgeholt, abgeholt, rückgabe an besitzer, rückgabe*, dem besitzer zurückgegeben, zurückgegeben, an eigentümer zurück, an halter zurück, an besitzer zurück, übergeben, übernommen von anderem verein, verlegt, umgesetzt, entwischt, verschwunden, ausgewildert, freigelassen, anderes tierheim, an anderes tierheim, abgang, entsorgt, gelöscht, weitergeleitet, übernahme durch anderen verein, zurück zum besitzer, tod, euthanasie, einschläferung, rückgabe an halter, freilassung, auswilderung, abgabe an partnertierheim, abgabe an anderes tierheim, abgabe an verein, an verein, an verein übergeben, überstellung, überstellt, verstorben*
  = moved: übernahme, übernommen, transfer, vermisst, entlaufen
  = came: fund, fundtier*, abgabetier, abgabe, aufnahme, beschlagnahmt, sicherstellung, sichergestellt, herrenlos, ausgesetzt, polizei, feuerwehr, amt, behörde, veterinäramt, besitzer, rückläufer, geboren, unbekannt, sonstige*
  = withheld: quarantäne*, in quarantäne, nicht vermittelbar, nicht verfügbar, nicht zu vermitteln
  = none: nicht in vermittlung, noch nicht*, neu, neuzugang, beobachtung, in behandlung, behandlung, krank, krankenstation, tierarzt, beim tierarzt, tierklinik, in klinik, gesperrt, verwahrung, amtlich verwahrt, pension, pensionstier, gnadenhof, gnadenbrot, dauergast, dauerpflegestelle, dauerpflegeplatz, wartet, eingewöhnung, im tierheim, intern, trächtig, ohne status, patentier, zu jung, schon angekommen
  = not: nicht, kein, keine, noch nicht
  . yes: ja, j, wahr
  . no: nein, falsch
  . total: summe, gesamt, anzahl, insgesamt, gedruckt, seite, stand, ende
  . months: januar jänner jan, februar feber, märz mär mrz, april, mai, juni, juli, august, september, oktober okt, november, dezember dez`,
  // French
  `animal: animal, animaux, l'animal, d'animal, chien, chat, pensionnaire, compagnon
  name: nom, noms
  species: espèce, especes, genre, categorie, type d'animal, sorte
  type: type
  status: statut, état, situation, disponibilité, disponible, statut d'adoption, etat d'adoption, position
  outcome: sortie, motif de sortie, devenir, type de sortie, destination
  number: n, n°, no, numero, num, identifiant, id, référence, ref, code, matricule, n° d'ordre, numéro d'identification, identification
  chip: puce, n° de puce, n° puce, icad, i-cad, n° icad, tatouage, transpondeur, n° d'identification, numéro de puce
  came: entrée, d'entrée, arrivée, d'arrivée, accueil, prise en charge, admission
  date: date, le, depuis, jour
  small: actuel, actuelle, de, du, des, le, la, les, l', d', dernier, dernière, adoption, l'adoption, d'adoption
  past: précédent, ancien, ancienne, provenance, origine, motif d'entrée, motif de l'entrée, motif d'arrivée, motif d'abandon, motif d'accueil
  unit: box, facture, chenil, boxe, cage
  place: lieu, emplacement, localisation, santé
  breed: race, races
  other: propriétaire, adoptant, famille, fa, contact, prénom, téléphone, tel, adresse, ville, sexe, couleur, robe, poil, taille, poids, âge, né, née, naissance, né le, date de naissance, description, remarques, remarque, commentaire, commentaires, notes, observations, photo, motif, stérilisé, stérilisation, castré, vacciné, vaccins, vaccination, frais, tarif, prix, caractère, ententes, vétérinaire
  = available: à l'adoption, a adopter, adoptable, disponible, libre, en attente d'adoption, cherche famille, proposé à l'adoption, en adoption, à placer, sos, urgence adoption, disponible à l'adoption, recherche famille, cherche un foyer
  = pending: réservé*, en cours d'adoption, adoption en cours, en cours, option, en option, pré-adopté, à l'essai, essai, pré-réservé, promis, dossier en cours, en attente de validation, demande en cours
  = foster: en famille d'accueil, famille d'accueil, en fa, fa, en accueil, placement en famille d'accueil
  = sold: adopté*, placé*, vendu*, adoption, parti en famille, adoption définitive, a trouvé sa famille, sorti adoption, sortie adoption, cédé à un particulier, cession à un particulier
  = gone: décédé*, mort, morte, décès, euthanasié*, euthanasie, rendu*, rendu à son propriétaire, restitué*, restitué au propriétaire, repris par son propriétaire, récupéré par son propriétaire, propriétaire retrouvé, retrouvé, fugue, volé*, évadé*, relâché*, remis en liberté, relâché stérilisé, chat libre, parti, sorti, confié à une autre association, autre association, autre refuge, retour propriétaire, retourné au propriétaire, transféré vers un refuge, transfert vers un refuge, transfert vers une association, restitution, restitution au propriétaire, rendu au propriétaire, mort naturelle, évasion, remise au propriétaire
  = moved: transfert, transféré*, perdu*, disparu*
  = came: trouvé*, abandon*, abandonné*, saisie, réquisition, fourrière, arrivée, naissance, né au refuge, retour d'adoption, retour, errant*, divagation, cession, inconnu*, autre
  = withheld: quarantaine*, en quarantaine, non disponible, indisponible, non adoptable
  = none: pas disponible, pas à l'adoption, non proposé, en fourrière, en observation, observation, en soins, soins, malade, chez le vétérinaire, convalescence, au refuge, nouveau, nouvelle, en attente*, pension, panier retraite, sanctuaire, trop jeune, bientôt*, bientôt disponible, délai légal, évaluation, en évaluation
  = not: non, pas, ne, pas encore
  . yes: oui, o, vrai
  . no: non, faux
  . total: total, totaux, nombre, somme, imprimé, page, édité
  . months: janvier janv, février févr fév, mars, avril avr, mai, juin, juillet juil, août, septembre, octobre, novembre, décembre déc`,
  // Spanish
  `animal: animal, animales, mascota, mascotas, perro, gato, peludo
  name: nombre, nombres
  species: especie, especies, clase, categoría, tipo de animal, tipo animal, tipo de mascota
  type: tipo
  status: estado, estatus, situación, disponibilidad, estado de adopción, estado adopción, estado actual, condición de adopción, status
  outcome: salida, tipo de salida, motivo de salida, destino, resultado, baja
  number: id, nº, n°, no, num, número, código, referencia, ref, identificador, identificación, expediente, ficha, nro, clave, folio
  chip: chip, microchip, nº chip, nº de chip, número de chip, número de microchip, crotal, tatuaje
  came: ingreso, entrada, llegada, alta, fecha de ingreso, rescate, acogida
  date: fecha, día, desde, el
  small: actual, de, del, el, la, los, las, último, adopción, adopcion
  past: anterior, procedencia, origen, motivo de ingreso, motivo ingreso, tipo de ingreso
  unit: jaula, chenil, factura, canil, box
  place: ubicación, lugar, salud
  breed: raza, razas
  other: dueño, propietario, adoptante, adoptantes, acogida, casa de acogida, contacto, responsable, apellido, apellidos, teléfono, dirección, ciudad, sexo, género, color, pelo, pelaje, tamaño, talla, peso, edad, nacimiento, nacido, descripción, observaciones, notas, comentarios, foto, imagen, motivo, esterilizado, esterilizada, castrado, vacunado, vacunas, desparasitado, tasa, precio, carácter, veterinario, provincia, municipio
  = available: disponible, en adopción, adoptable, para adoptar, para adopción, busca hogar, buscando hogar, libre, disponible para adopción, listo para adopción, lista para adopción, se busca familia, busca familia, en busca de hogar, publicado, urgente
  = pending: en proceso, reservado, reservada, reserva, en trámite, pendiente*, preadopción, pre-adopción, preadoptado, preadoptada, pre-adoptado, proceso de adopción, en proceso de adopción, adopción en proceso, adopción pendiente, solicitado, solicitada, apartado, a prueba, en evaluación de adopción, señalado
  = foster: en acogida, acogida, acogido, acogida temporal, casa de acogida, en casa de acogida, hogar temporal, en hogar temporal, hogar de tránsito, en tránsito, tránsito, casa cuna, tránsito temporal
  = sold: adoptado, adoptada, adoptad*, adopción, vendido, vendida, entregado en adopción, dado en adopción, colocado, con familia, ya tiene hogar
  = gone: fallecido, fallecida, fallec*, muerto, muerta, muerte, murió, eutanasia*, eutanasiado, eutanasiada, sacrificado, sacrificada, devuelto a su dueño, devuelto al dueño, devuelto a su propietario, devuelta a su dueño, devuelto*, devuelta*, devolución, entregado a su dueño, entregado al propietario, recuperado por su dueño, reclamado, recogido por su dueño, propietario encontrado, dueño encontrado, trasladado, trasladada, transferido, transferida, desaparecido, desaparecida, escapado, escapada, robado, robada, liberado, liberada, suelta, ces, cer, baja, salida, otra protectora, otra asociación, cedido, cedida, eliminado, entregado a su propietario, devuelto al propietario, devolución al propietario, recuperado por el propietario, fallecimiento, muerte natural, exitus
  = moved: traslado, transferencia, perdido, perdida
  = came: encontrado, encontrada, rescatado, rescatada, abandono, abandonado, abandonada, decomisado, ingreso, nuevo ingreso, nacido, entrega voluntaria, cesión, callejero, callejera, policía, desconocido, otro
  = withheld: cuarentena*, en cuarentena, no disponible, no adoptable
  = none: no apto, no está en adopción, todavía no, aún no disponible, en observación, observación, en tratamiento, tratamiento, enfermo, enferma, en clínica, hospitalizado, hospitalizada, veterinario, en el veterinario, en recuperación, recuperación, rehabilitación, en rehabilitación, nuevo, ingresado, en refugio, en el refugio, refugio, en albergue, evaluación, en evaluación, valoración, residencia, santuario, residente, próximamente, muy pronto, muy joven, oculto, retenido, apadrinado, apadrinable, inactivo
  = not: no, ni, sin, aún no, todavía no
  . yes: sí, si, verdadero
  . no: no, falso
  . total: total, totales, suma, impreso, página
  . months: enero ene, febrero, marzo, abril abr, mayo, junio, julio, agosto ago, septiembre setiembre, octubre, noviembre, diciembre dic`,
  // Italian
  `animal: animale, animali, dell'animale, cane, gatto, ospite
  name: nome, nomi
  species: specie, categoria, tipo di animale, tipo animale, genere
  type: tipo, tipologia
  status: stato, situazione, disponibilità, stato adozione, stato di adozione, condizione, stato attuale, status
  outcome: uscita, esito, motivo uscita, destinazione, tipo uscita
  number: id, n, n°, nr, num, numero, codice, riferimento, rif, matricola, identificativo, progressivo, scheda
  chip: chip, microchip, n° microchip, numero microchip, nr chip, codice microchip, tatuaggio
  came: ingresso, entrata, arrivo, accettazione, data di ingresso, d'ingresso, cattura, ritrovamento
  date: data, dal, giorno, il
  small: attuale, di, del, della, dell', il, la, lo, ultimo, adozione
  past: precedente, provenienza, origine, modalità ingresso, modalità di ingresso, motivo ingresso, tipo ingresso
  unit: box, gabbia, settore, fattura
  place: luogo, ubicazione, collocazione, salute
  breed: razza
  other: proprietario, adottante, affidatario, contatto, cognome, telefono, indirizzo, città, comune, sesso, colore, mantello, pelo, taglia, peso, età, nascita, nato, nata, descrizione, note, osservazioni, foto, motivo, sterilizzato, sterilizzata, castrato, vaccinato, vaccini, contributo, prezzo, carattere, veterinario
  = available: disponibile, adottabile, in adozione, da adottare, cerca casa, cerca famiglia, libero, libera, disponibile per adozione, pronto per adozione, adottabili
  = pending: prenotato, prenotata, prenotaz*, riservato, riservata, in attesa di adozione, adozione in corso, in corso, pratica in corso, preaffido, pre-affido, in preaffido, in pre-affido, in prova, in affido preadottivo, richiesto, richiesta, opzionato, in trattativa
  = foster: in stallo, stallo, affido temporaneo, in affido temporaneo, affido, in affido, famiglia affidataria, casa famiglia
  = sold: adottato, adottata, adottat*, adozione, ceduto, ceduta, venduto, venduta, ha trovato casa, affidato definitivamente, adozione definitiva, affidato, affidata
  = gone: deceduto, deceduta, deced*, morto, morta, morte, soppresso, soppressa, soppressione, eutanasia*, restituito, restituita, restituito al proprietario, restituit*, reso al proprietario, riconsegnato, riconsegnata, riconsegnato al proprietario, ritirato dal proprietario, trasferito, trasferita, fuggito, fuggita, fuga, scappato, scappata, scomparso, scomparsa, rubato, rubata, liberato, liberata, reimmesso, rimesso in libertà, reimmesso in libertà, reimmissione, colonia, uscito, altra associazione, decesso, restituzione, restituzione al proprietario, trasferito ad altra struttura, trasferito in altro canile, reimmessa
  = moved: trasferimento, smarrito, smarrita
  = came: trovato, trovata, rinuncia, rinunciato, cattura, catturato, recupero, recupero cane vagante, vagante, sequestro, sequestrato, ingresso, nato in rifugio, nato in canile, cessione, rinvenimento, randagio, randagia, sconosciuto, altro
  = withheld: quarantena, in quarantena, non disponibile, non adottabile
  = none: non ancora disponibile, in osservazione, osservazione, in cura, in terapia, terapia, malato, malata, in clinica, ricoverato, ricoverata, dal veterinario, convalescenza, nuovo arrivo, nuovo, in canile, in gattile, in rifugio, rifugio, canile, valutazione, in valutazione, pensione, prossimamente, troppo giovane, santuario, in cura / degenza, degenza, in degenza
  = not: non, no, non ancora
  . yes: sì, si, vero
  . no: no, falso
  . total: totale, totali, somma, stampato, pagina
  . months: gennaio gen, febbraio, marzo, aprile, maggio mag, giugno giu, luglio lug, agosto, settembre set, ottobre ott, novembre, dicembre dic`,
  // Portuguese
  `animal: animal, animais, pet, pets, bicho, cão, cao, gato
  name: nome, nomes
  species: espécie, especies, categoria, tipo de animal, tipo animal, tipo do animal, tipo de pet
  type: tipo
  status: situação, estado, status, disponibilidade, situação de adoção, status de adoção, status adoção, situação atual, estado de adoção
  outcome: saída, tipo de saída, motivo da saída, destino, desfecho
  number: id, nº, n°, no, num, número, código, cod, referência, ref, identificação, registro, registo, prontuário, ficha, rg
  chip: chip, microchip, nº do chip, número do chip, nº chip, nº do microchip, nº de microchip
  came: entrada, chegada, resgate, data de entrada, acolhimento, ingresso, admissão
  date: data, dia, desde, em
  small: atual, de, do, da, o, a, os, as, último, adoção
  past: anterior, procedência, origem, motivo da entrada, forma de entrada, tipo de entrada
  unit: baia, canil, gaiola, fatura, box
  place: local, localização, saúde
  breed: raça
  other: dono, proprietário, tutor, tutora, adotante, responsável, contato, contacto, sobrenome, telefone, endereço, morada, cidade, bairro, sexo, gênero, cor, pelagem, pelo, porte, tamanho, peso, idade, nascimento, nascido, descrição, observações, observação, obs, notas, foto, fotos, imagem, motivo, castrado, castrada, esterilizado, vacinado, vacinada, vacinas, vermifugado, taxa, preço, temperamento, veterinário, lar
  = available: disponível, disponível para adoção, para adoção, em adoção, para adotar, adotável, procura lar, procurando lar, à procura de família, à procura de lar, aguardando adoção, aguarda adoção, livre, pronto para adoção, apto para adoção, apto à adoção, apto a adoção, busca lar
  = pending: em processo de adoção, em processo, reservado, reservada, reserva, pendente, adoção pendente, em andamento, em análise, adoção em andamento, pré-adotado, pré-adoção, pré adotado, em período de teste, em teste, em adaptação, adaptação, aguardando retirada, candidato, solicitado
  = foster: lar temporário, em lar temporário, lt, família de acolhimento, em fat, fat, acolhimento temporário, família de acolhimento temporário
  = sold: adotado, adotada, adotad*, adoptado, adoptada, adoção, doado, doada, vendido, vendida, adoção concluída, adoção finalizada, ganhou um lar
  = gone: falecido, falecida, falec*, óbito, óbitos, morto, morta, morte, morreu, eutanasiado, eutanasiada, eutanásia, devolvido ao tutor, devolvido ao dono, devolvida ao tutor, devolvido ao proprietário, devolvido*, devolvida*, devolução ao tutor, restituído, restituída, resgatado pelo tutor, retirado pelo dono, entregue ao dono, entregue ao tutor, transferido, transferida, fugiu, fugido, fugida, fuga, desaparecido, desaparecida, roubado, roubada, solto, soltura, ced, liberado, outra ong, saída, baixa, óbito natural, falecimento
  = moved: transferência, perdido, perdida
  = came: resgatado, resgatada, resgate, encontrado, encontrada, abandono, abandonado, abandonada, apreendido, apreensão, recolhido, recolhida, nascido, entrega voluntária, doação, desconhecido, outro
  = withheld: quarentena, em quarentena, não disponível, indisponível, não adotável
  = none: não está disponível, não apto, inapto, em observação, observação, em tratamento, tratamento, doente, internado, internada, na clínica, em recuperação, recuperação, veterinário, recém-chegado, novo, nova, no abrigo, abrigado, abrigada, em abrigo, no canil, em avaliação, avaliação, aguardando*, residente, santuário, em breve, muito novo, filhote demais, inativo, analisando*, analisando situação, aguardando prótese, aguardando castração
  = not: não, nao, ainda não, sem
  . yes: sim, s, verdadeiro
  . no: não, nao, falso
  . total: total, totais, soma, impresso, página
  . months: janeiro, fevereiro fev, março, abril, maio mai, junho, julho, agosto, setembro, outubro out, novembro, dezembro dez`,
  // Dutch
  `animal: dier, dieren, huisdier, hond, kat, honden, katten
  name: naam, namen, roepnaam, diernaam
  species: soort, diersoort, soort dier, categorie, dierensoort
  type: type
  status: status, stand, beschikbaarheid, plaatsingsstatus, adoptiestatus, toestand, fase, dierstatus, huidige status, plaatsbaarheid
  outcome: uitstroom, uitgang, reden uitstroom, vertrek, bestemming, afgang
  number: nr, nummer, id, code, dossiernummer, diernummer, dier nr, kenmerk, referentie, volgnummer, registratienummer
  chip: chip, chipnr, chipnummer, chip nr, transponder, transpondernummer, tatoeage
  came: intake, binnenkomst, binnen, binnengekomen, opname, aankomst, instroom, datum binnen
  date: datum, op, sinds, dag
  small: huidig, huidige, van, het, de, in, laatste, ons, adoptie
  past: vorige, vorig, herkomst, reden binnenkomst, reden van binnenkomst, reden intake, reden opname, reden van opname
  unit: hok, kennel, kooi, factuur, hoknummer
  place: locatie, verblijf, plek, gezondheid
  breed: ras
  other: eigenaar, baas, adoptant, contactpersoon, gastgezin, pleeggezin, voornaam, achternaam, telefoon, adres, woonplaats, postcode, geslacht, kleur, vacht, grootte, gewicht, leeftijd, geboren, geboortedatum, geboorte, omschrijving, beschrijving, opmerking, opmerkingen, notities, foto, reden, gecastreerd, gesteriliseerd, castratie, ingeënt, vaccinatie, vaccinaties, prijs, plaatsingskosten, karakter, dierenarts, workflow-fase, workflow
  = available: beschikbaar, plaatsbaar, ter adoptie, te plaatsen, zoekt baas, zoekt baasje, zoekt een thuis, zoekt thuis, vrij, ter plaatsing, adopteerbaar, beschikbaar voor adoptie, beschikbaar voor plaatsing, kan geplaatst worden, herplaatser
  = pending: gereserveerd, gereserveerd*, optie, in optie, onder optie, in behandeling aanvraag, aanvraag, op proef, proefplaatsing, proefperiode, in afwachting van adoptie, afspraak, kennismaking, in plaatsing
  = foster: gastgezin, in gastgezin, pleeggezin, in pleeggezin, opvanggezin, in opvanggezin, opvangadres, bij gastgezin, op gastgezin
  = sold: geplaatst, geplaatst*, geadopteerd, adoptie, verkocht, herplaatst, thuis gevonden, heeft een thuis, nieuw thuis gevonden, nieuwe eigenaar
  = gone: overleden, dood, gestorven, geëuthanaseerd, euthanasie, ingeslapen, inslapen, laten inslapen, terug naar eigenaar, terug eigenaar, retour eigenaar, terug bij eigenaar, terug naar baas, opgehaald door eigenaar, opgehaald, eigenaar gevonden, teruggebracht naar eigenaar, overgeplaatst, overgedragen, ander asiel, naar ander asiel, andere opvang, ontsnapt, weggelopen, gestolen, uitgezet, teruggezet, tnr, tnrc, vrijgelaten, vertrokken, uitgeschreven, overleden*, naar eigenaar, retour naar eigenaar, afgestaan aan ander asiel
  = moved: overplaatsing, vermist
  = came: gevonden, vondeling, afstand, zwerfdier, zwerver, inbeslagname, in beslag genomen, beslag, intake, binnengekomen, geboren, politie, dierenambulance, retour, terug, onbekend, anders, overig
  = withheld: quarantaine, in quarantaine, niet beschikbaar, niet plaatsbaar
  = none: nog niet*, nog niet beschikbaar, in observatie, observatie, in behandeling, ziek, medisch*, medische zorg, bij dierenarts, dierenarts, herstellende, in opvang, opvang, in asiel, nieuw, nieuw binnen, wettelijke termijn, wachttijd, bewaartermijn, pension, rusthuis, blijver, te jong, binnenkort, gedragstest, in training, socialisatie, niet te plaatsen
  = not: niet, geen, nog niet
  . yes: ja, waar
  . no: nee, onwaar
  . total: totaal, som, aantal, pagina, afgedrukt
  . months: januari, februari, maart mrt, april, mei, juni, juli, augustus, september, oktober, november, december`,
  // Polish
  `. page: windows-1250
  animal: zwierzę, zwierzęcia, zwierzęta, zwierzaka, zwierzak, pies, psa, kot, kota, podopieczny
  name: imię, imiona, nazwa
  species: gatunek, rodzaj, gatunek zwierzęcia, rodzaj zwierzęcia, kategoria
  type: typ
  status: status, stan, dostępność, status adopcji, status adopcyjny, stan adopcji, sytuacja, etap
  outcome: wyjście, powód wyjścia, opuszczenie, los, losy, sposób wydania, wydanie, wybycie
  number: nr, numer, id, kod, lp, ewidencyjny, nr ewidencyjny, numer ewidencyjny, identyfikator, sygnatura, kartoteka, rejestr
  chip: chip, czip, mikroczip, mikrochip, nr chip, nr chipa, nr czipa, numer chip, numer chipa, numer czipa, tatuaż, transponder
  came: przyjęcie, przyjęcia, przyjęto, data przyjęcia, przybycie, przybycia, wejście
  date: data, dnia, od, dzień
  small: aktualny, aktualne, obecny, do, z, w, na, adopcji, adopcyjny, schroniskowy
  past: poprzedni, pochodzenie, powód przyjęcia, przyczyna przyjęcia, sposób przyjęcia
  unit: boks, kojec, klatka, faktura
  place: miejsce, lokalizacja, zdrowie
  breed: rasa
  other: właściciel, właściciela, opiekun, adoptujący, kontakt, nazwisko, telefon, adres, miasto, miejscowość, płeć, maść, kolor, umaszczenie, sierść, wielkość, waga, wiek, urodzenia, urodzony, data urodzenia, opis, uwagi, notatki, zdjęcie, przyczyna, powód, kastracja, sterylizacja, sterylizowany, kastrowany, szczepienia, szczepiony, odrobaczony, opłata, charakter, weterynarz
  = available: do adopcji, dostępny, dostępna, dostępne, szuka domu, szuka, czeka na dom, gotowy do adopcji, gotowa do adopcji, wolny, wolna, oczekuje na adopcję, czeka na adopcję, adopcyjny, adopcyjna
  = pending: zarezerwowany, zarezerwowana, zarezerwowane, rezerwacja, rezerwac*, w trakcie adopcji, w procesie adopcji, adopcja w toku, oczekuje na odbiór, umówiony, wstępnie zarezerwowany, adopcja próbna, okres próbny, wizyta przedadopcyjna, w toku, w trakcie
  = foster: dom tymczasowy, w domu tymczasowym, dt, w dt, rodzina zastępcza, tymczas, na tymczasie
  = sold: adoptowany, adoptowana, adoptowan*, zaadoptowany, zaadoptowana, zaadoptowan*, adopcja, w nowym domu, znalazł dom, znalazła dom, wydany do adopcji, wydana do adopcji, oddany do adopcji, oddana do adopcji, sprzedany, sprzedana, dom stały, nowy dom
  = gone: padł, padła, padło, zmarł, zmarła, nie żyje, zgon, uśpiony, uśpiona, uśpienie, eutanazja, odebrany przez właściciela, odebrana przez właściciela, odebrany, odebrana, zwrócony właścicielowi, zwrócona właścicielowi, zwrot właścicielowi, zwrot do właściciela, oddany właścicielowi, wydany właścicielowi, wrócił do właściciela, wróciła do właściciela, przekazany, przekazana, przekazan*, przeniesiony, przeniesiona, inne schronisko, fundacja, uciekł, uciekła, ucieczka, zaginął, zaginęła, skradziony, wypuszczony, wypuszczona, wypuszczenie, opuścił schronisko, wydany, wydana, odbiór przez właściciela, wydany opiekunowi, upadek, padnięcie
  = moved: przeniesienie, przekazanie, zaginiony, zaginiona
  = came: znaleziony, znaleziona, błąkający, porzucony, porzucona, zrzeczenie, oddany przez właściciela, oddana przez właściciela, przyjęty, przyjęta, nowo przyjęty, odłowiony, odłowiona, interwencja, policja, urodzony, nieznany, inny
  = withheld: kwarantanna, na kwarantannie, w kwarantannie, niedostępny, niedostępna, nie do adopcji
  = none: jeszcze niedostępny, obserwacja, na obserwacji, w leczeniu, leczenie, chory, chora, szpital, w szpitalu, szpitalik, u weterynarza, w schronisku, schronisko, nowy, nowa, zabezpieczony, dowód, ocena, rehabilitacja, wkrótce, za młody, za młoda, dożywotnio, rezydent, hotel
  = not: nie, jeszcze nie
  . yes: tak
  . no: nie
  . total: razem, suma, łącznie, ogółem, wydrukowano, strona
  . months: stycznia styczeń sty, lutego luty lut, marca marzec, kwietnia kwiecień kwi, maja maj, czerwca czerwiec cze, lipca lipiec lip, sierpnia sierpień sie, września wrzesień wrz, października październik paź, listopada listopad lis, grudnia grudzień gru`,
  // Korean. The headings are those of the national interface.
  `. page: euc-kr
  animal: 동물, 유기동물, desertion
  name: 이름, 동물명
  species: 축종, 동물종류, 종류
  type: 유형
  status: 상태, 보호상태, 처리상태, 입양상태
  outcome: 종료, 결과, 처리결과
  number: 번호, 관리번호, 유기번호, 등록번호, 접수번호
  chip: 칩번호, 마이크로칩
  came: 구조, 접수, 입소, happen, 발견
  date: 날짜, 일자, 일시, 입소일, 접수일, 구조일, 발견일, dt
  small: 현재
  past: 구조사유, 입소사유
  unit: 공고, 공고번호, 케이지, notice
  place: 보호장소, 장소, 위치
  breed: 품종
  other: 성별, 나이, 색상, 체중, 특징, 보호센터, 담당자, 연락처, 주소, 중성화, 사진, 비고
  = available: 보호중, 보호 중, 입양가능, 입양 가능, 입양대기, 분양가능
  = pending: 입양예정, 입양 예정, 입양진행중, 입양상담중, 예약
  = foster: 임시보호, 임보중, 임보
  = sold: 입양, 입양완료, 분양완료, 분양
  = moved: 이관, 인계
  = gone: 안락사, 자연사, 폐사, 사망, 반환, 방사, 기증, 소유자반환, 주인반환, 포획 후 방사
  = came: 구조, 유기, 발견, 신고, 포획, 기타, 미상
  = withheld: 입양불가, 격리
  = none: 공고중, 공고 중, 치료중, 치료 중, 종료
  = not: 불가
  . yes: 예, 네, 있음
  . no: 아니오, 없음
  . total: 합계, 총계, 계`,
  // Swedish
  `name: namn
  species: djurslag, djurart, art, slag
  status: status, läge
  chip: chip, chipnr, chipnummer, id-märkning
  number: nummer, nr, id, löpnummer
  animal: djur, djuret, hund, katt, katten
  came: ankomst, inkom, intag, inskriven
  date: datum, dag
  breed: ras
  other: kön, ålder, färg, född, anmärkning, ägare, jourhem, vikt, box, notering
  = available: tillgänglig, tillgänglig för adoption, söker hem, letar hem, till adoption, redo för adoption, adopterbar
  = pending: reserverad, bokad, tingad, prova-på, prova på adoption, prova-på adoption
  = foster: jourhem, i jourhem, fodervärd
  = sold: adopterad, såld, fått hem, flyttat hem, flyttat, nytt hem
  = gone: avliden, död, avlivad, avlivats, återlämnad till ägare, åter till ägare, överförd, rymd, flyttad till annat katthem
  = none: karantän, i karantän, under behandling, hos veterinär, nyinkommen, ej klar, ej redo, inte tillgänglig, inte tillgänglig för adoption, under utredning
  = not: inte, ej, icke
  . yes: ja
  . no: nej
  . total: summa, totalt, antal`,
  // Danish and Norwegian
  `name: navn
  species: dyreart, art, dyretype
  status: status, tilstand
  chip: chip, chipnr, chipnummer
  number: nummer, nr, journalnr, journalnummer
  animal: dyr, dyret, hunden
  came: ankomst, indleveret, innlevert, modtaget, mottatt
  date: dato, dag
  breed: race, rase
  other: køn, kjønn, alder, farve, farge, født, bemærkning, merknad, ejer, eier, vægt, vekt, plejefamilie, fosterhjem
  = available: til adoption, klar til adoption, søger hjem, søker hjem, til adopsjon, klar for adopsjon, ledig, tilgængelig, tilgjengelig
  = pending: reserveret, reservert
  = foster: i pleje, plejefamilie, fosterhjem, i fosterhjem
  = sold: adopteret, adoptert, solgt, formidlet, omplassert, fået hjem, fått hjem
  = gone: død, aflivet, avlivet, tilbage til ejer, tilbake til eier, overflyttet, overført
  = none: karantæne, karantene, under behandling, hos dyrlæge, hos veterinær, ikke klar, ikke tilgængelig, ikke tilgjengelig
  = not: ikke, ej
  . yes: ja
  . no: nej, nei
  . total: total, sum, antal, antall`,
  // Czech
  `. page: windows-1250
  name: jméno
  species: druh, druh zvířete
  status: stav
  chip: čip, číslo čipu
  number: číslo, kód, evidenční číslo, ev č
  animal: zvíře, zvířete, pes, kočka
  came: příjem, přijetí, přijat, přijato, nalezen
  date: datum, den
  place: umístění
  breed: plemeno, rasa
  other: pohlaví, věk, barva, narozen, poznámka, majitel, váha, kotec
  = available: k adopci, k dispozici, k dispozici pro adopci, hledá domov, nabízen k adopci, nabízeno
  = pending: rezervace, rezervováno, rezervován, zkušební přijetí, zamluven, zamluveno
  = foster: dočasná péče, v dočasné péči, dočaska
  = sold: adoptováno, adoptován, adoptovaná, prodáno, nový domov
  = gone: uhynulo, uhynul, usmrceno, utraceno, eutanazie, vráceno majiteli, vrácen majiteli, přesunuté, přesunuto, předáno
  = none: karanténa, v karanténě, léčení, v léčbě, u veterináře, není k dispozici, není k dispozici pro adopci
  = not: není, ne, nelze, bez
  . yes: ano
  . no: ne
  . total: celkem, součet`,
  // Hungarian
  `. page: windows-1250
  name: név, neve
  species: faj, állatfaj, fajta csoport
  status: állapot, státusz, státusza
  chip: chip, chipszám, mikrochip
  number: szám, azonosító, sorszám, nyilvántartási szám, kód
  animal: állat, kutya, macska
  came: bekerülés, bekerült, érkezés, érkezett, felvétel
  date: dátum, dátuma, ideje, napja
  breed: fajta
  other: nem, ivar, kor, szín, született, megjegyzés, gazda, tulajdonos, súly, kennel
  = available: gazdira vár, gazdát keres, örökbefogadható, örökbe fogadható, elérhető
  = pending: foglalt, lefoglalva, folyamatban
  = foster: ideiglenes befogadónál, ideiglenesnél, ideiglenes
  = sold: örökbefogadva, örökbe fogadva, örökbe adva, gazdis, gazdira talált, elvitték
  = gone: elpusztult, elhunyt, elaltatva, visszakerült a gazdájához, gazdájához visszakerült, átadva, elszökött
  = none: karantén, karanténban, kezelés alatt, beteg, nem örökbefogadható, nem elérhető
  = not: nem, még nem, nincs
  . yes: igen
  . no: nem
  . total: összesen`,
  // Turkish
  `. page: windows-1254
  name: adı, ad, isim, ismi
  species: tür, türü, cinsi
  status: durum, durumu
  chip: çip, çip no, mikroçip
  number: numara, no, küpe no, kayıt no, kimlik no
  animal: hayvan, köpek, kedi
  came: geliş, giriş, alınış, kabul
  date: tarih, tarihi
  breed: ırk, ırkı
  other: cinsiyet, yaş, renk, doğum, not, açıklama, sahip, kilo, padok, kafes
  = available: sahiplendirilebilir, sahiplendirmeye uygun, yuva arıyor, sahip arıyor
  = pending: rezerve, rezerve edildi, ayrıldı
  = foster: geçici yuvada, geçici yuva
  = sold: sahiplendirildi, yuvalandı
  = gone: öldü, ex, ötenazi, uyutuldu, sahibine teslim edildi, alındığı ortama bırakıldı, doğaya bırakıldı, nakledildi, kaçtı
  = none: tedavide, karantinada, karantina, tedavi altında, sahiplendirilemez, gözlemde
  = not: değil, uygun değil
  . yes: evet
  . no: hayır
  . total: toplam`,
  // Russian
  `. page: windows-1251
  name: кличка, имя
  species: вид, вид животного
  status: статус, состояние
  chip: чип, номер чипа, микрочип
  number: номер, №, код, рег номер
  animal: животное, животного, питомец
  came: поступление, поступил, поступила, прибытие, поступления
  date: дата, день
  breed: порода
  other: пол, возраст, окрас, цвет, рождения, примечание, владелец, вес, вольер, куратор
  = available: ищет дом, ищет хозяина, в поисках дома, свободен, свободна, можно забрать, готов к пристройству
  = pending: бронь, забронирован, забронирована, резерв, в резерве
  = foster: на передержке, передержка
  = sold: пристроен, пристроена, дома, отдан, отдана, нашел дом, нашла дом
  = gone: умер, умерла, погиб, погибла, усыплен, усыплена, эвтаназия, возвращен хозяину, возвращена хозяину, передан, передана, выпущен
  = none: карантин, на карантине, на лечении, лечение, не пристраивается, стационар
  = not: не, нет, нельзя
  . yes: да
  . no: нет
  . total: итого, всего`,
  // Japanese
  `. page: shift_jis
  name: 名前, 呼び名, 仮名, 愛称, 動物名
  species: 種類, 動物種, 種別, 犬猫
  status: 状態, 状況, ステータス, 譲渡状況
  chip: マイクロチップ, マイクロチップ番号
  number: 番号, 管理番号, 個体番号, 整理番号, 受付番号
  animal: 動物, 犬, 猫
  came: 収容, 収容日, 保護日, 受入日, 入所日
  date: 日, 日付, 年月日
  place: 収容場所, 場所
  breed: 品種, 犬種, 猫種
  other: 性別, 年齢, 毛色, 体格, 体重, 備考, 生年月日, 特徴
  = available: 募集中, 譲渡可, 譲渡可能, 里親募集中, 譲渡対象, 譲渡募集中
  = pending: 予約済, 予約中, 商談中, トライアル中, トライアル
  = foster: 預かり中, 預かりボランティア, ミルクボランティア
  = sold: 譲渡済, 譲渡済み, 譲渡, 卒業
  = gone: 死亡, 返還, 返還済, 殺処分, 移送, 逃走, 飼い主返還
  = none: 隔離中, 治療中, 検疫中, 譲渡不可, 観察中, 収容中, 準備中
  = not: 不可, 未
  . yes: はい, 有
  . no: いいえ, 無
  . total: 合計, 計`,
  // Greek
  `. page: windows-1253
  name: όνομα
  species: είδος, είδος ζώου
  status: κατάσταση, κατασταση υιοθεσίας
  chip: τσιπ, αριθμός τσιπ, microchip
  number: αριθμός, κωδικός, α/α
  animal: ζώο, ζώου, σκύλος, γάτα
  came: εισαγωγή, άφιξη, εισόδου
  date: ημερομηνία
  breed: ράτσα, φυλή
  other: φύλο, ηλικία, χρώμα, γέννησης, σχόλια, παρατηρήσεις, ιδιοκτήτης, βάρος
  = available: διαθέσιμο, διαθέσιμος, διαθέσιμη, προς υιοθεσία, ψάχνει σπίτι
  = pending: κρατημένο, σε αναμονή, δεσμευμένο
  = foster: σε φιλοξενία, φιλοξενία
  = sold: υιοθετήθηκε, υιοθετημένο
  = gone: απεβίωσε, πέθανε, ευθανασία, επιστράφηκε στον ιδιοκτήτη, μεταφέρθηκε
  = none: καραντίνα, σε θεραπεία, σε καραντίνα, μη διαθέσιμο
  = not: δεν, μη, όχι
  . yes: ναι
  . no: όχι
  . total: σύνολο`,
  // Hebrew
  `. page: windows-1255
  name: שם
  species: סוג, מין החיה
  status: סטטוס, מצב
  chip: שבב, מספר שבב
  number: מספר, מזהה, קוד
  animal: חיה, כלב, חתול, בעל חיים
  came: קליטה, הגעה, נקלט
  date: תאריך
  breed: גזע
  other: מין, גיל, צבע, לידה, הערות, בעלים, משקל
  = available: ממתין לאימוץ, ממתינה לאימוץ, לאימוץ, זמין לאימוץ, מחפש בית, מחפשת בית
  = pending: שמור, שמורה, בקשה בהמתנה, תקופת ניסיון
  = foster: באומנה, אומנה, בית אומנה
  = sold: אומץ, אומצה, נמצא בית
  = gone: נפטר, נפטרה, הומת, הוחזר לבעלים, הוחזרה לבעלים, הועבר
  = none: בהסגר, בטיפול, לא זמין, לא זמינה
  = not: לא, אינו, אין
  . yes: כן
  . no: לא
  . total: סך הכל`,
]
