/**
 * Words for kinds of animals, by which an unknown name of a category is shown the nearest one in meaning: another word
 * for the same, or a broader one. They are suggested and never taken; letters do not count.
 */
import { folded } from '../common/compared.ts'
import { pluralOf } from './plurals.ts'

/** Words for the same, and broader words, the nearest first. Each has its plural as well. */
const KINDS: readonly (readonly [same: readonly string[], broader: readonly string[]])[] = [
  [['cat', 'kitten', 'kitty', 'feline', 'domestic cat', 'tomcat'], []],
  [['dog', 'puppy', 'pup', 'canine'], []],
  [['bird', 'avian'], []],
  [
    ['parrot', 'parakeet', 'budgie', 'budgerigar', 'cockatiel', 'cockatoo', 'macaw'],
    ['bird', 'exotic'],
  ],
  [['canary', 'finch', 'dove', 'pigeon'], ['bird']],
  [
    ['chicken', 'hen', 'rooster', 'duck', 'goose', 'turkey'],
    ['poultry', 'bird', 'livestock'],
  ],
  [
    ['poultry', 'fowl'],
    ['bird', 'livestock'],
  ],
  [['rabbit', 'bunny'], ['small animal']],
  [
    ['guinea pig', 'cavy'],
    ['rodent', 'small animal'],
  ],
  [
    ['hamster', 'gerbil', 'mouse', 'rat', 'chinchilla', 'degu'],
    ['rodent', 'small animal'],
  ],
  [['rodent'], ['small animal']],
  [['ferret'], ['small animal', 'exotic']],
  [['small animal', 'small mammal', 'small & furry', 'small and furry', 'pocket pet'], []],
  [
    ['snake', 'lizard', 'gecko', 'iguana', 'turtle', 'tortoise', 'bearded dragon'],
    ['reptile', 'exotic'],
  ],
  [['reptile'], ['exotic']],
  [
    ['frog', 'toad', 'newt', 'salamander', 'axolotl'],
    ['amphibian', 'exotic'],
  ],
  [['amphibian'], ['exotic']],
  [['exotic', 'exotic animal'], []],
  [['fish', 'goldfish'], []],
  [['horse', 'pony', 'foal', 'equine'], ['livestock']],
  [
    ['donkey', 'mule'],
    ['equine', 'livestock'],
  ],
  [['cow', 'calf', 'cattle', 'bovine'], ['livestock']],
  [['goat', 'caprine'], ['livestock']],
  [['sheep', 'lamb', 'ovine'], ['livestock']],
  [['pig', 'piglet', 'hog', 'swine', 'porcine'], ['livestock']],
  [['livestock', 'farm animal', 'barnyard'], []],
  [['raccoon', 'opossum', 'squirrel', 'skunk', 'coyote', 'fox', 'deer', 'bat'], ['wildlife']],
  [['wildlife', 'wild', 'wild animal'], []],
]

const PLACES = new Map(
  KINDS.flatMap(([same], place) =>
    same.map(folded).flatMap((word) => [[word, place] as const, [pluralOf(word), place] as const]),
  ),
)

/** Those of the names that are nearest in meaning to the word, which is none of them. */
export function nearestInMeaning(word: string, names: readonly string[]): readonly string[] {
  const place = PLACES.get(folded(word))
  const kind = place === undefined ? undefined : KINDS[place]
  if (kind === undefined) return []
  for (const one of [place, ...kind[1].map((broader) => PLACES.get(folded(broader)))]) {
    const found = names.filter((name) => PLACES.get(folded(name)) === one)
    if (found.length > 0) return found
  }
  return []
}
