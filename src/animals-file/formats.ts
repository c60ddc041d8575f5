/** The formats of files of animals that are read, with their endings, and those that are written. */
const READ = {
  CSV: ['.csv', '.tsv', '.txt'],
  '.xlsx': ['.xlsx'],
  '.ods': ['.ods'],
  JSON: ['.json', '.ndjson', '.jsonl'],
}

export const READ_FORMATS_TEXT = Object.keys(READ)
  .join(', ')
  .replace(/, (?=[^,]*$)/, ' or ')
export const READ_ENDINGS = [...Object.values(READ).flat(), '.gz']

export const FILE_FORMATS = ['ndjson', 'csv'] as const
export type FileFormat = (typeof FILE_FORMATS)[number]
