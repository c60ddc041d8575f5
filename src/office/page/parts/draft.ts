/** What is typed into fields that show something: it stays when they are filled anew, until it is saved or discarded. */

/** What a screen with fields says of them when it is left. */
export const UNSAVED = 'What you have typed here is not saved yet.'

interface Field {
  readonly control: { value: string }
  /** For a field that shows its value in other words. */
  readonly show?: (value: string) => void
}

export class Draft {
  #fields = new Map<string, { readonly control: Field['control']; readonly value: string; filled: string }>()

  /** These fields take the place of those before; what is typed in one of the same name is kept. */
  fill(fields: Readonly<Record<string, Field>>, values: Readonly<Partial<Record<string, string | null>>>) {
    const { typed } = this
    const before = this.#fields
    this.#fields = new Map()
    for (const [name, { control, show }] of Object.entries(fields)) {
      const value = values[name] ?? ''
      const previous = before.get(name)
      // Setting a text, also the same again, would move the cursor to its end.
      if (name in typed && previous?.control === control && previous.value === value) {
        this.#fields.set(name, previous)
        continue
      }
      if (show === undefined) control.value = value
      else show(value)
      // It may differ: a field cannot hold every text, such as one with line breaks.
      this.#fields.set(name, { control, value, filled: control.value })
      control.value = typed[name] ?? control.value
    }
  }

  get typed(): Record<string, string> {
    const changed = [...this.#fields].filter(([, { control, filled }]) => control.value !== filled)
    return Object.fromEntries(changed.map(([name, { control }]) => [name, control.value]))
  }

  /** A sentence that says so; empty if nothing is typed. */
  unsaved() {
    return Object.keys(this.typed).length === 0 ? '' : UNSAVED
  }

  discard() {
    for (const { control, filled } of this.#fields.values()) control.value = filled
  }

  /** `save` sends what is `typed`: what is typed since then is not saved by it. */
  async save<T>(save: () => Promise<T>, typed = this.typed): Promise<T> {
    const result = await save()
    for (const [name, value] of Object.entries(typed)) {
      const field = this.#fields.get(name)
      if (field !== undefined) field.filled = value
    }
    return result
  }
}
