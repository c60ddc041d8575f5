/** The English table; language.ts explains its entries. */
import type { Language } from './language.ts'

export const english: Language = {
  headings: {
    animal: "animal, animals, animal's, pet, pets, pet's, creature, patient",
    name: 'name, names, called, nickname, title rendered',
    species: 'species, specie, kind, category, categoryid, category id, species group, classification',
    type: 'type, group, class',
    status:
      'status, stat, process state, animal state, pet state, current state, care status, state of adoption, availability, stage, disposition, placement, record type, adoptability, adoption state',
    outcome:
      'outcome, out, disp, disposal, disposed, release, released, depart, departed, movement, exit, operation, final outcome, departure, leaving',
    number:
      'id, ids, number, no, num, nr, nbr, code, ref, reference, identifier, identification, key, uid, uuid, #, shelter code, record id, external id, case number',
    chip: 'chip, chipid, microchip, microchipnumber, chip id, registry, registration, arn, tattoo, rfid, ear tag',
    came: 'intake, arrival, arrived, admission, admitted, came, incoming, received, brought in, entered your care, entry, impound, indate, in date, date in, datein, found, surrender, surrendered',
    date: 'date, datetime, day, on, time, when, monthyear, timestamp, last update, last updated, lastupdate, updated, modified, dt',
    small:
      'what, who, which, kind of, what kind of, current, currently, details, record, file, latest, most recent, last, the, of, a, for, and, in, is, your, our, shelter, kennel, adoption, adopt, general, primary, main, 1, one, new, display, active, is, has, was, been, already',
    past: 'previous, prev, former, prior, original, old, obtained, acquired, aquisition, acquisition, surrendering, pickup, reason for entry, reasonforentry, how obtained, how acquired, came from, relationship, entry category, entrycategory',
    unit: 'kennel, run, invoice, lot, pen, stall, line, row, cage, cage number, license number, licence number, kennel number, impound number, collar, tag, receipt',
    place:
      'location, sublocation, place, room, building, kennel location, shelter location, animal location, condition, health, state of health',
    breed: 'breed, breeds, primary breed, breed1, crossbreed',
    other:
      "owner, owner's, adopter, adopter's, adopters, foster, fosterer, person, people, contact, finder, caretaker, caregiver, staff, volunteer, vet, veterinarian, parent, guardian, surname, first name, last name, full name, shelter name, group name, firstname, lastname, email, e-mail, mail, phone, telephone, address, street, city, state, zip, zipcode, country, sex, gender, color, colour, colors, coat, hair, pattern, size, weight, age, ages, dob, birth, born, birthdate, birthday, description, desc, notes, note, memo, comments, comment, remarks, photo, photos, image, picture, url, link, website, video, crossing, jurisdiction, district, source, origin, reason, sub, subtype, altered, spay, spayed, neuter, neutered, neutering, fixed, sterilized, vaccinated, vaccination, vaccinations, shots, rabies, fiv, felv, heartworm, housetrained, declawed, special, needs, good, kids, dogs, cats, children, fee, price, cost, fees, bond, bonded, litter, los, days, stay, count, total, org, organization, agency, site, microchipped, chipped, dam, sire, license, licence, activity, request, hold, secondary, alternate, attributes, tags, hex, latitude, longitude, housed, behavior, behaviour, temperament, medical, diet, food, custody, mix, purebred, year, years, month, months, intake type, intake subtype, intake condition, litter name, litter id, link, objectid, _id",
  },
  statuses: {
    available:
      'publish, published, available, avail*, adoptable, available for adoption, for adoption, ready for adoption, adoption ready, ready to adopt, ready to go, up for adoption, available to adopt, available now, awaiting adoption, waiting for adoption, awaiting home, awaiting adopter, awaiting a home, seeking home, seeking adopter, looking for home, looking for a home, looking for adopter, needs home, needs a home, needs adopter, adoption floor, on the adoption floor, adopt me, can be adopted, ready for a home, ready for home, available in foster, for sale',
    pending:
      'pending, pend, pndg, pnd, adoption pending, hold, holding, on hold, held, reserved, reserve*, rsvd, trial*, trial adoption, foster to adopt, foster 2 adopt, fta, in process, process, processing, in progress, application*, applied, application pending, approved, meet and greet, meet & greet, promised, committed, commitment, deposit*, spoken for, optioned, option, adoption scheduled, appointment, pre-adopt*, preadopt*, pre adoption, adoption in process, adoption process, sleepover, waitlist, has home lined up, home check, homecheck, under contract, payment',
    foster: 'foster*, fost, fostr, in foster, foster home, foster care, in foster care',
    sold: 'adopted, adopt, adopt*, adoption, adptd, adpt, homed, rehomed, re-homed, rehome, rehoming complete, placed, sold, healthy in home, in home, in new home, new home, forever home, found home, found a home, found forever home, furever home, rto-adopt, rto adopt, adoption complete, finalized, foster fail, foster failure',
    gone: 'transfer*, returned to owner, return to owner, returned owner, owner return, rto*, rtg, reclaim*, redeem*, redemption, reunit*, claimed, claim, returned home, euth*, eu, put to sleep, put down, humane euthanasia, humanely euthanized, pts, died, die, dies, dead, death, deceas*, decd, doa, dead on arrival, expired, passed, passed away, passed on, rainbow bridge, crossed the bridge, stolen, escape*, disposal, disp, dispos*, disposed, destroyed, relocat*, releas*, rtf, tnr, tnvr, snr, rtw, rtfh, trap neuter return, trap neuter release, shelter neuter return, return to field, returned to field, return to habitat, return to wild, return to wild habitat, wildlife release, released to wild, to rescue, sent to rescue, pulled by rescue, pulled, shipped, gone, departed, left, no longer in care, out of care, moved, moved out, deleted, delete, removed, duplicate, trash, trashed, returned to finder, return to finder, return to rescue, returned to rescue, retailer, community cat, barn placement, working cat placement, homefirst, auction, auctioned, shelter partner, rip, r.i.p, with owner, hotel, not in care, non shelter, nonshelter, transferred, transferred out, transfer out, trnsf out, declined, withdrawn, withdrawn by owner, rejected, surrender withdrawn, owner kept, deceased on arrival, died in foster, service out, escaped, dead when found, born dead, stillborn, passed in care, discharged, moved on, completed adoption elsewhere',
    moved:
      'transfer, transfers, transferring, transfer in, transferred in, xfer*, trans, trnsf*, tran, rescue, rescued, rescue group, rescue grp, rescue org*, transport*, missing, lost, lost report, found report',
    came: 'stray*, strays, found, intake, new intake, intake scheduled, surrender*, relinquish*, owner surrender, os, owner, owned, police, animal control, born in shelter, born here, born in care, confiscat*, seized, impound*, abandoned, dumped, spay*, neuter*, s/n, needs foster, foster needed, looking for foster, courtesy, courtesy listing, brought in, over the counter, otc, field, wildlife intake, purchased, trapped, hoarding, unknown, other, none, n/a, na, null, nan, tbd, unspecified, undetermined, not specified',
    withheld:
      'not adoptd, cruelty, cruelty case, crueltycase, hidden, draft, quarantine*, quar, quarantin*, qtd, qtn, unavail*, not available, unadoptable, not adoptable, not for adoption, nfa, not yet available, do not adopt',
    none: 'registered, needs help, not ready, not listed, coming soon, soon, available soon, bite*, bite quarantine, evaluat*, eval, assess*, awaiting*, waiting*, under*, vet*, medical*, med, medical hold only, sick, ill, injured, treatment, surgery, recover*, rehab*, stray wait, new, new arrival, just arrived, court*, evidence, custody, protective custody, safekeep*, safe keeping, boarding, behavior*, behaviour*, training, isolation, iso, observation, too young, underage, under age, nursing, in shelter, at shelter, in care, in kennel, kennel, in custody, on site, sanctuary, resident, lab, clinic, out, pregnant, hospital, at vet, feral, special needs only, on review, review, incoming, intake pending, pending intake, pending evaluation, pending assessment, other hold only, working, processing intake, welfare assessment, declined intake, not accepted',
    not: "not, non, no, never, un, isn't, fell through, cancelled, canceled, failed, returned, return, was, were, formerly, wanted, to be, needed, denied, no longer, fell thru, unsuccessful, except",
  },
  breeds: {
    dog: 'shepherd, retriever, labrador, lab, terrier, bulldog, bull dog, pit bull, pitbull, pit, chihuahua, husky, poodle, beagle, boxer, hound, spaniel, collie, dachshund, rottweiler, mastiff, pinscher, schnauzer, shih tzu, pug, corgi, heeler, cattle dog, doberman, maltese, pomeranian, great dane, akita, malamute, malinois, cane corso, pointer, setter, greyhound, whippet, yorkie, yorkshire, bichon, papillon, dalmatian, weimaraner, vizsla, catahoula, chow, dogo, sheepdog, kelpie, staffy, staffordshire, american bully, podenco, galgo, mutt, cur, basenji, samoyed, leonberger, pekingese, havanese, labradoodle, goldendoodle, cockapoo, jindo, jindogae, shiba',
    cat: 'dsh, dmh, dlh, domestic shorthair, domestic short hair, domestic sh, domestic mediumhair, domestic medium hair, domestic mh, domestic longhair, domestic long hair, domestic lh, domestic medium, american shorthair, british shorthair, european shorthair, siamese, persian, maine coon, ragdoll, bengal, sphynx, russian blue, tabby, tortie, tortoiseshell, calico, manx, himalayan, birman, burmese, abyssinian, tonkinese, korat, snowshoe, scottish fold, norwegian forest, ekh',
    rabbit: 'lop, lionhead, rex rabbit, netherland dwarf, holland lop, lop eared, new zealand white, flemish giant',
  },
  yes: 'yes, y, true, t, 1, x, on, checked, ✓, ✔',
  no: 'no, n, false, f, 0, off, unchecked, -',
  total:
    'total, totals, grand total, subtotal, sub total, count, sum, end of report, record count, records, printed, page, report',
  months:
    'jan january, feb february, mar march, apr april, may, jun june, jul july, aug august, sep sept september, oct october, nov november, dec december',
}
