/** The English table; language.ts explains its entries. */
import type { Language } from './language.ts'

export const english: Language = {
  headings: {
    animal: "animal, animals, animal's, pet, pets, pet's, creature, patient",
    name: 'name, names, called, nickname',
    species: 'species, specie, kind, category, categoryid, species group, classification',
    type: 'type, group, class',
    status:
      'status, stat, state of adoption, availability, stage, disposition, placement, record type, adoptability, adoption state',
    outcome: 'outcome, out, movement, exit, operation, final outcome, departure, leaving',
    number:
      'id, ids, number, no, num, nr, nbr, code, ref, reference, identifier, identification, key, uid, uuid, #, shelter code, record id, external id, case number',
    chip: 'chip, chipid, microchip, microchipnumber, chip id, registry, registration, arn, tattoo, rfid, ear tag',
    came: 'intake, arrival, arrived, admission, admitted, came, incoming, received, brought in, entered your care, entry, impound, indate, in date, date in, datein, found, surrender, surrendered',
    date: 'date, datetime, day, on, time, when, monthyear, timestamp, last update, last updated, lastupdate, updated, modified, dt',
    small:
      'current, currently, latest, most recent, last, the, of, a, for, and, in, is, your, our, shelter, kennel, adoption, adopt, general, primary, main, 1, one, new, display, active',
    other:
      "owner, owner's, adopter, adopter's, adopters, foster, fosterer, person, people, contact, finder, caretaker, caregiver, staff, volunteer, vet, veterinarian, parent, guardian, surname, first name, last name, full name, shelter name, group name, firstname, lastname, email, e-mail, mail, phone, telephone, address, street, city, state, zip, zipcode, country, breed, breeds, sex, gender, color, colour, colors, coat, hair, pattern, size, weight, age, ages, dob, birth, born, birthdate, birthday, description, desc, notes, note, memo, comments, comment, remarks, photo, photos, image, picture, url, link, website, video, location, sublocation, room, cage, building, crossing, jurisdiction, district, source, origin, reason, condition, health, sub, subtype, altered, spay, spayed, neuter, neutered, neutering, fixed, sterilized, vaccinated, vaccination, vaccinations, shots, rabies, fiv, felv, heartworm, housetrained, declawed, special, needs, good, kids, dogs, cats, children, fee, price, cost, fees, bond, bonded, litter, los, days, stay, count, total, total, internal, org, organization, agency, site, microchipped, chipped, dam, sire, license, licence, tag, receipt, impound number, kennel number, activity, request, hold, secondary, alternate, attributes, tags, hex, latitude, longitude, housed, behavior, behaviour, temperament, medical, diet, food, custody, mix, purebred, year, years, month, months, intake type, intake subtype, intake condition, previous, former, original, litter name, litter id, link, objectid, _id",
  },
  statuses: {
    available:
      'available, avail*, adoptable, available for adoption, for adoption, ready for adoption, adoption ready, ready to adopt, ready to go, up for adoption, available to adopt, available now, awaiting adoption, waiting for adoption, awaiting home, awaiting adopter, awaiting a home, seeking home, seeking adopter, looking for home, looking for a home, looking for adopter, needs home, needs a home, needs adopter, adoption floor, on the adoption floor, adopt me, can be adopted, ready for a home, ready for home, available in foster, for sale',
    pending:
      'pending, pend, pndg, pnd, adoption pending, hold, holding, on hold, held, reserved, reserve*, rsvd, trial*, trial adoption, foster to adopt, foster 2 adopt, fta, in process, process, processing, in progress, application*, applied, application pending, approved, meet and greet, meet & greet, promised, committed, commitment, deposit*, spoken for, optioned, option, adoption scheduled, appointment, pre-adopt*, preadopt*, pre adoption, adoption in process, adoption process, sleepover, waitlist, has home lined up, home check, homecheck, under contract, payment',
    foster: 'foster*, fost, fostr, in foster, foster home, foster care, in foster care',
    sold: 'adopted, adopt, adopt*, adoption, adptd, adpt, homed, rehomed, re-homed, rehome, rehoming complete, placed, sold, healthy in home, in home, in new home, new home, forever home, found home, found a home, found forever home, furever home, rto-adopt, rto adopt, adoption complete, finalized, foster fail, foster failure',
    gone: 'transfer*, xfer*, trans, trnsf*, tran, returned to owner, return to owner, returned owner, owner return, rto*, rtg, reclaim*, redeem*, redemption, reunit*, claimed, claim, returned home, euth*, eu, put to sleep, put down, humane euthanasia, humanely euthanized, pts, died, die, dies, dead, death, deceas*, decd, doa, dead on arrival, expired, passed, passed away, passed on, rainbow bridge, crossed the bridge, missing, lost, stolen, escape*, disposal, disp, dispos*, disposed, destroyed, relocat*, releas*, rtf, tnr, tnvr, snr, rtw, rtfh, trap neuter return, trap neuter release, shelter neuter return, return to field, returned to field, return to habitat, return to wild, return to wild habitat, wildlife release, released to wild, rescue, rescued, rescue group, rescue grp, rescue org*, to rescue, sent to rescue, pulled by rescue, pulled, transport*, shipped, gone, departed, left, no longer in care, out of care, moved, moved out, deleted, delete, removed, duplicate, returned to finder, return to finder, return to rescue, returned to rescue, retailer, community cat, barn placement, working cat placement, homefirst, lost report, auction, auctioned, shelter partner',
    none: 'not available, unavail*, not for adoption, nfa, not yet available, not ready, not listed, not adoptable, unadoptable, coming soon, soon, available soon, quarantine*, quar, quarantin*, qtd, qtn, bite*, bite quarantine, evaluat*, eval, assess*, awaiting*, waiting*, under*, vet*, medical*, med, medical hold only, sick, ill, injured, treatment, surgery, recover*, rehab*, spay*, neuter*, s/n, stray*, strays, stray wait, found, found report, intake, new, new arrival, new intake, just arrived, impound*, confiscat*, seized, cruelty, court*, evidence, custody, protective custody, safekeep*, safe keeping, boarding, behavior*, behaviour*, training, isolation, iso, observation, too young, underage, under age, nursing, in shelter, at shelter, in care, in kennel, kennel, in custody, on site, sanctuary, resident, lab, surrender*, relinquish*, owner surrender, clinic, out, hidden, draft, needs foster, foster needed, looking for foster, adoption return*, returned adoption, return adoption, returned from adoption, returned, unknown, other, unspecified, undetermined, not specified, n/a, na, none, null, nan, tbd, pregnant, hospital, at vet, feral, special needs only, on review, review, incoming, intake pending, pending intake, pending evaluation, pending assessment, other hold only, working, processing intake',
    not: 'not, non, no, never, un',
  },
  species: {
    dog: 'dog, canine, k9',
    puppy: 'puppy, pup, puppies',
    cat: 'cat, feline, domestic cat',
    kitten: 'kitten',
    rabbit: 'rabbit, bunny, domestic rabbit',
    'guinea pig': 'guinea pig, guineapig, cavy',
    hamster: 'hamster',
    mouse: 'mouse, mice',
    rat: 'rat',
    gerbil: 'gerbil',
    chinchilla: 'chinchilla',
    ferret: 'ferret',
    hedgehog: 'hedgehog',
    rodent: 'rodent',
    'small animal':
      'small animal, small & furry, small and furry, small furry, small mammal, smallanimal, small pet, pocket pet',
    bird: 'bird, avian',
    parrot: 'parrot',
    chicken: 'chicken, hen',
    duck: 'duck',
    goose: 'goose, geese',
    horse: 'horse, equine',
    donkey: 'donkey',
    goat: 'goat, caprine',
    sheep: 'sheep, ovine',
    pig: 'pig, hog, swine, porcine',
    cow: 'cow, cattle, bovine',
    livestock: 'livestock, farm animal, farm, barnyard',
    reptile: 'reptile, reptilian',
    snake: 'snake',
    lizard: 'lizard',
    turtle: 'turtle',
    fish: 'fish',
    calf: 'calf, calves',
    ox: 'ox, oxen',
    wolf: 'wolf, wolves',
    wildlife: 'wildlife, wild animal',
    exotic: 'exotic, exotic animal',
    other: 'other, misc, miscellaneous, unknown',
    each: 'alpaca, amphibian, bat, bearded dragon, budgie, budgerigar, canary, cockatiel, cockatoo, conure, coyote, crow, deer, dove, emu, finch, foal, fox, frog, gecko, groundhog, guinea fowl, gull, hare, hawk, iguana, kangaroo, koala, lamb, livebird, llama, lovebird, macaw, mare, mule, opossum, owl, parakeet, peacock, pheasant, pigeon, pony, possum, potbelly pig, poultry, fowl, python, quail, raccoon, rooster, scales fins & other, seagull, skunk, squirrel, steer, swan, toad, tortoise, tomcat, turkey, wallaby',
  },
  yes: 'yes, y, true, t, 1, x, on, checked, ✓, ✔',
  no: 'no, n, false, f, 0, off, unchecked, -',
  total:
    'total, totals, grand total, subtotal, sub total, count, sum, end of report, record count, records, printed, page, report',
}
