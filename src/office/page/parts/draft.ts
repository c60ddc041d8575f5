/** Unsaved text in fields that also show current values. It stays when they are filled again, until it is saved. */

interface Field {
  readonly control: { value: string; defaultValue: string }
}

function isTyped({ control }: Field) {
  return control.value !== control.defaultValue
}

export class Draft {
  #fields: Readonly<Record<string, Field>> = {}

  fill(fields: Readonly<Record<string, Field>>, values: Readonly<Partial<Record<string, string | null>>>) {
    this.#fields = fields
    for (const [name, field] of Object.entries(fields)) {
      const { control } = field
      const value = values[name] ?? ''
      // Setting even the same text would move the cursor to its end.
      if (control.defaultValue === value) continue
      const typed = isTyped(field) ? control.value : undefined
      control.value = value
      // A field cannot contain every text, such as line breaks.
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

  /** `save` sends `typed`. Text typed since then stays unsaved. */
  async save<T>(save: () => Promise<T>, typed = this.typed): Promise<T> {
    const result = await save()
    for (const [name, value] of Object.entries(typed)) {
      const control = this.#fields[name]?.control
      if (control !== undefined) control.defaultValue = value
    }
    return result
  }
}
