/** The French table; language.ts explains its entries. */
import type { Language } from './language.ts'

export const french: Language = {
  headings: {
    animal: "animal, animaux, l'animal, d'animal, chien, chat, pensionnaire, compagnon",
    name: 'nom, noms',
    species: "espèce, especes, genre, categorie, type d'animal, sorte",
    type: 'type',
    status: "statut, état, situation, disponibilité, disponible, statut d'adoption, etat d'adoption, position",
    outcome: 'sortie, motif de sortie, devenir, type de sortie, destination',
    number:
      "n, n°, no, numero, num, identifiant, id, référence, ref, code, matricule, n° d'ordre, numéro d'identification, identification",
    chip: "puce, n° de puce, n° puce, icad, i-cad, n° icad, tatouage, transpondeur, n° d'identification, numéro de puce",
    came: "entrée, d'entrée, arrivée, d'arrivée, accueil, prise en charge, admission",
    date: 'date, le, depuis, jour',
    small: "actuel, actuelle, de, du, des, le, la, les, l', d', dernier, dernière, adoption, l'adoption, d'adoption",
    past: "précédent, ancien, ancienne, provenance, origine, motif d'entrée, motif de l'entrée, motif d'arrivée, motif d'abandon, motif d'accueil",
    unit: 'box, facture, chenil, boxe, cage',
    place: 'lieu, emplacement, localisation, santé',
    breed: 'race, races',
    other:
      'propriétaire, adoptant, famille, fa, contact, prénom, téléphone, tel, adresse, ville, sexe, couleur, robe, poil, taille, poids, âge, né, née, naissance, né le, date de naissance, description, remarques, remarque, commentaire, commentaires, notes, observations, photo, motif, stérilisé, stérilisation, castré, vacciné, vaccins, vaccination, frais, tarif, prix, caractère, ententes, vétérinaire',
  },
  statuses: {
    available:
      "à l'adoption, a adopter, adoptable, disponible, libre, en attente d'adoption, cherche famille, proposé à l'adoption, en adoption, à placer, sos, urgence adoption, disponible à l'adoption, recherche famille, cherche un foyer",
    pending:
      "réservé*, en cours d'adoption, adoption en cours, en cours, option, en option, pré-adopté, à l'essai, essai, pré-réservé, promis, dossier en cours, en attente de validation, demande en cours",
    foster: "en famille d'accueil, famille d'accueil, en fa, fa, en accueil, placement en famille d'accueil",
    sold: 'adopté*, placé*, vendu*, adoption, parti en famille, adoption définitive, a trouvé sa famille, sorti adoption, sortie adoption, cédé à un particulier, cession à un particulier',
    gone: 'décédé*, mort, morte, décès, euthanasié*, euthanasie, rendu*, rendu à son propriétaire, restitué*, restitué au propriétaire, repris par son propriétaire, récupéré par son propriétaire, propriétaire retrouvé, retrouvé, fugue, volé*, évadé*, relâché*, remis en liberté, relâché stérilisé, chat libre, parti, sorti, confié à une autre association, autre association, autre refuge, retour propriétaire, retourné au propriétaire, transféré vers un refuge, transfert vers un refuge, transfert vers une association, restitution, restitution au propriétaire, rendu au propriétaire, mort naturelle, évasion, remise au propriétaire',
    moved: 'transfert, transféré*, perdu*, disparu*',
    came: "trouvé*, abandon*, abandonné*, saisie, réquisition, fourrière, arrivée, naissance, né au refuge, retour d'adoption, retour, errant*, divagation, cession, inconnu*, autre",
    withheld: 'quarantaine*, en quarantaine, non disponible, indisponible, non adoptable',
    none: "pas disponible, pas à l'adoption, non proposé, en fourrière, en observation, observation, en soins, soins, malade, chez le vétérinaire, convalescence, au refuge, nouveau, nouvelle, en attente*, pension, panier retraite, sanctuaire, trop jeune, bientôt*, bientôt disponible, délai légal, évaluation, en évaluation",
    not: 'non, pas, ne, pas encore',
  },
  yes: 'oui, o, vrai',
  no: 'non, faux',
  total: 'total, totaux, nombre, somme, imprimé, page, édité',
  months:
    'janvier janv, février févr fév, mars, avril avr, mai, juin, juillet juil, août, septembre, octobre, novembre, décembre déc',
}
