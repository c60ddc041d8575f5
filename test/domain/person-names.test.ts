/** Which names people may have, and which are equal. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, it } from 'node:test'
import { foldName, newPersonName, personName } from '../../src/domain/person-names.ts'

const words = (text: string) => text.split(' ')

describe('the name of a person', () => {
  it('is 1 to 60 printable characters with a letter or digit among them', () => {
    for (const name of ['a', '7', 'Anna Müller', "O'Neill", '李小龍', '<b>', 'x'.repeat(60), '\u{1f600}x'.repeat(30)]) {
      assert.equal(personName(name), name)
    }
    for (const wrong of ['', ' ', 'a ', ' a', '-', 'a\nb', 'a\0', 'a\u202eb', '\ud800a', 'x'.repeat(61), '\u{1f600}']) {
      assert.equal(personName(wrong), undefined, JSON.stringify(wrong))
    }
  })

  it('is not one that the journal uses for others', () => {
    for (const taken of ['service', 'Service', 'cli root', 'CLI  root'])
      assert.equal(personName(taken), undefined, taken)
    for (const name of ['client', 'services', 'my service', 'my cli root']) assert.equal(personName(name), name)
  })

  it('is the same in either form of Unicode, and compares without case, accents and width of spaces', () => {
    assert.equal(personName('Jose\u0301'), 'Jos\u00e9')
    assert.equal(foldName('JOSE\u0301  Mu\u00f1oz'), foldName('jos\u00e9 munoz'))
    assert.equal(foldName('\u00a8Jose'), 'jose', 'an accent may stand alone')
  })

  it('is new only without characters that nobody sees, and without words of mixed scripts', () => {
    const fine = [...words('Zo\u00eb-2 李小龍 山田たろう サトウ 김철수 Анна Ελένη محمد अनिल'), 'Anna Müller', "O'Neill"]
    for (const name of [...fine, 'Анна Müller', '李 Lee', 'x \u{1f600}', 'Ærø 7'])
      assert.deepEqual(newPersonName(name), { name }, name)
    assert.deepEqual(newPersonName('\uff21nna\u00a0B'), { name: 'Anna B' }, 'compatible forms are one')
    const unseen = words('An\u200dna An\u200cna Anna\ufe0f An\u034fna Anna\u3164 Anna\u2800 An\u00adna An\u180bna')
    for (const name of unseen) assert.match(refusalOf(name), /an invisible character \(U\+[0-9A-F]{4}\)/, name)
    for (const mixed of words('\u0410nna Ann\u0430 Ann\u03b1 \u0391nna Anna李 Olga\u0420aul An\u0585a 李\uae40た'))
      assert.match(refusalOf(mixed), /mixes letters of several scripts/, mixed)
    for (const none of ['', 'service', 'x'.repeat(61), 'a\nb'])
      assert.match(refusalOf(none), /^a name is 1 to 60 printable characters with a letter or digit among them, /, none)
  })

  it('may be in each script in use, and no word of it may hold a Latin letter', () => {
    const all = [
      ...words('Անի ანა אנה سارة ޢަލީ ሰላም अनिल অনিল ਅਨਿਲ અનિલ ଅନିଲ அனில் అనిల్ ಅನಿಲ್ അനിൽ'),
      ...words('අනිල් สมชาย ສົມໄຊ བསོད အောင် សុខ ㄒㄧㄠ李 Ελένη Анна 김철수 さくら'),
    ]
    for (const word of all) {
      assert.deepEqual(newPersonName(word), { name: word.normalize('NFKC') }, word)
      assert.match(refusalOf(`${word}a`), /mixes letters of several scripts/, word)
    }
  })

  it('keeps its identity even if it could not be chosen today', () => {
    for (const name of ['An\u200dna', '\u0410nna', 'Anna\ufe0f']) assert.equal(personName(name), name)
    assert.notEqual(foldName('An\u200dna'), foldName('Anna'))
  })

  it('compares by a fold that never changes: nodes of two versions know the same people', () => {
    const stable = [
      [0x20, 0x377],
      [0x400, 0x52f],
      [0x1e00, 0x1eff],
      [0xff01, 0xff9d],
    ] as const
    const folded = stable.flatMap(([from, to]) =>
      Array.from({ length: to - from + 1 }, (_, n) => foldName(`x${String.fromCodePoint(from + n)}x`)),
    )
    assert.equal(
      hash('sha256', JSON.stringify(folded)),
      'acb87be238facbf96bfb62cc84ae80f68eabb37f0bb1af3fcec0c397adfbbf2e',
    )
  })
})

const refusalOf = (text: string) => {
  const found = newPersonName(text)
  return 'refusal' in found ? found.refusal : ''
}
