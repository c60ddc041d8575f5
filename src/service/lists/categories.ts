/** The categories by which a list is read: those that the database names, and new ones where that is asked for. */
import { Categories } from '../../animals-file/categories.ts'
import { isLabel, LABEL_RULE } from '../../domain/keys.ts'
import type { CategoryStore } from '../../store/categories.ts'

export async function categoriesOf(categories: CategoryStore, namesNew: boolean): Promise<Categories> {
  const labels = await categories.names()
  if (!namesNew) return new Categories(labels)
  return new Categories(labels, { used: (await categories.used()).keys(), rule: LABEL_RULE, isName: isLabel })
}
