/** The operator's side of a file in this thread: of a command, or of a thread of a service (../work.ts). */
import { operatorSide } from '../../operator-side.ts'
import { OperatorDatabase, type OperatorDatabaseOptions } from './database.ts'

export function openOperator(options: OperatorDatabaseOptions) {
  const database = new OperatorDatabase(options)
  return { subjects: operatorSide(database), close: () => database.close() }
}
