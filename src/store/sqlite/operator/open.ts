/** The operator's side of a file in this thread: of a command, or of a thread of a service (../work.ts). */
import { operatorSide } from '../../operator-side.ts'
import { FileDatabase, type FileDatabaseOptions } from '../file/file-database.ts'

export function openOperator(options: FileDatabaseOptions) {
  const database = new FileDatabase(options)
  return { side: operatorSide(database), stop() {}, close: () => database.close() }
}
