/** What is typed into fields that show something: it stays when they are filled anew, until it is saved or discarded. */

/** Its default value is what it was filled with. */
interface Field {
  readonly control: { value: string; defaultValue: string }
}

function isTyped({ control }: Field) {
  return control.value !== control.defaultValue
}

export class Draft {
  #fields: Readonly<Record<string, Field>> = {}

  /** These fields take the place of those before; what is typed stays. */
  fill(fields: Readonly<Record<string, Field>>, values: Readonly<Partial<Record<string, string | null>>>) {
    this.#fields = fields
    for (const [name, field] of Object.entries(fields)) {
      const { control } = field
      const value = values[name] ?? ''
      // Setting a text, also the same again, would move the cursor to its end.
      if (control.defaultValue === value) continue
      const typed = isTyped(field) ? control.value : undefined
      control.value = value
      // It may differ: a field cannot hold every text, such as one with line breaks.
      control.defaultValue = control.value
      if (typed !== undefined) control.value = typed
    }
  }

  get typed(): Record<string, string> {
    const changed = Object.entries(this.#fields).filter(([, field]) => isTyped(field))
    return Object.fromEntries(changed.map(([name, { control }]) => [name, control.value]))
  }

  get isTyped(): boolean {
    return Object.keys(this.typed).length > 0
  }

  discard() {
    for (const { control } of Object.values(this.#fields)) control.value = control.defaultValue
  }

  /** `save` sends what is `typed`: what is typed since then is not saved by it. */
  async save<T>(save: () => Promise<T>, typed = this.typed): Promise<T> {
    const result = await save()
    for (const [name, value] of Object.entries(typed)) {
      const control = this.#fields[name]?.control
      if (control !== undefined) control.defaultValue = value
    }
    return result
  }
}
