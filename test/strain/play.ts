/** Plays a plan on real processes, and holds what they leave against the model after each round. */
import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { emptyState } from '../model/operator.ts'
import { Finding } from '../support/part.ts'
import { lineOf } from './lines.ts'
import { attempt, type Create, explain, type Ran, type Seen, type State, stateOf } from './model.ts'
import type { Act, Plan, Round, Step } from './plan.ts'
import type { Site } from './site.ts'

export const noFigures = () => ({
  rounds: 0,
  commands: 0,
  /** Commands that were cut before their end, and services. */
  cuts: 0,
  serviceCuts: 0,
  creates: 0,
  refused: 0,
  fullDisks: 0,
})
export type Figures = ReturnType<typeof noFigures>

export interface RoundFailure {
  readonly message: string
  /** The round of the plan. */
  readonly round: number
  /** What was done, as lines for a shell. */
  readonly lines: readonly string[]
}

/** Plays until a round fails, all are over, or `endMs` (of performance.now) has come. */
export async function play(
  plan: Plan,
  site: Site,
  figures: Figures,
  endMs = Number.POSITIVE_INFINITY,
): Promise<RoundFailure | undefined> {
  const player = new Player(site, figures)
  let at = 0
  try {
    await player.begin()
    for (const round of plan.rounds) {
      if (performance.now() >= endMs) break
      site.lines.push(`# round ${at}`)
      await player.round(round)
      figures.rounds += 1
      at += 1
    }
    return undefined
  } catch (error) {
    if (!(error instanceof Finding)) throw error
    return { message: error.message, round: at, lines: site.lines }
  }
}

/** For reasons that the model does not know. */
const MAY_REFUSE: readonly Act[] = ['rotate key', 'edit key', 'unban key', 'import with ids', 'restore', 'undo']
/** A node of PostgreSQL that was killed is taken for one that serves for 30 s. */
const KILLED_SERVES_MS = 40_000

interface Backup {
  readonly file: string
  readonly state: State
}

class Player {
  readonly #site: Site
  readonly #isFile: boolean
  readonly #figures: Figures
  #state: State = { has: emptyState(), journal: [] }
  readonly #secrets = new Map<string, string>()
  readonly #backups: Backup[] = []
  #isServed = false
  #killedMs = Number.NEGATIVE_INFINITY
  /** How many answers the counters did not know of; undefined since they may have been lost. */
  #uncounted: number | undefined

  constructor(site: Site, figures: Figures) {
    this.#site = site
    this.#isFile = site.database.startsWith('sqlite:')
    this.#figures = figures
  }

  async begin(): Promise<void> {
    await this.#site.begin()
    this.#state = stateOf(await this.#site.look())
  }

  async round({ steps, creates, serviceCut, isStopped, leaveKiB }: Round): Promise<void> {
    const site = this.#site
    const day = new Date().getUTCDate()
    if (isStopped && this.#isServed) await site.endService('SIGTERM')
    if (!isStopped && !this.#isServed) await site.serve()
    this.#isServed = !isStopped
    const giveBack = leaveKiB === undefined ? undefined : site.fill(leaveKiB)
    const isCalm = steps.length === 1 && giveBack === undefined
    const made: Create[] = []
    let ran: Ran[]
    try {
      const cutting = serviceCut && sleep(serviceCut.afterMs).then(() => site.endService(serviceCut.signal))
      const creating = this.#create(creates, made, serviceCut !== undefined)
      const running = Promise.all(steps.map((step) => this.#step(step, isCalm)))
      // All of them end before a failure of one is told.
      await Promise.allSettled([running, creating, cutting])
      ran = await running
      await Promise.all([creating, cutting])
    } finally {
      giveBack?.()
    }
    if (serviceCut !== undefined) {
      if (serviceCut.signal === 'SIGKILL') this.#killedMs = performance.now()
      this.#isServed = false
      this.#figures.serviceCuts += 1
    }
    if (giveBack !== undefined) this.#figures.fullDisks += 1
    if (this.#isServed === false && !isStopped) await site.serve()
    this.#isServed = !isStopped
    const seen = await site.look()
    const before = this.#state
    this.#state = this.#explained(seen, ran, made)
    await this.#checkBackups(before, ran, made)
    await this.#checkCopies(ran)
    await this.#checkSearch(seen, steps[0]?.picks[0] ?? 0)
    const isRestored = ran.some(({ step, outcome }) => step.act === 'restore' && outcome !== 'refused')
    const isLost = isRestored || serviceCut !== undefined || giveBack !== undefined
    if (isLost || new Date().getUTCDate() !== day) this.#uncounted = undefined
    if (this.#isServed) await this.#checkAnswers(seen)
  }

  /** From the state before; where a backup was being restored, from the state of that backup as well. */
  #explained(seen: Seen, ran: readonly Ran[], made: readonly Create[]): State {
    const restores = ran.filter(({ step, outcome }) => step.act === 'restore' && outcome !== 'refused')
    const failures: Finding[] = []
    const tried = (work: () => State) => {
      try {
        return work()
      } catch (error) {
        if (!(error instanceof Finding)) throw error
        failures.push(error)
        return undefined
      }
    }
    for (const { about } of restores) {
      const backup = this.#backups.find(({ file }) => file === about[0])
      const state = backup && tried(() => explain(backup.state, seen, ran, made, 0))
      if (state !== undefined) return state
    }
    const isRestored = restores.some(({ outcome }) => outcome === 'acknowledged')
    const state = isRestored ? undefined : tried(() => explain(this.#state, seen, ran, made))
    if (state !== undefined) return state
    throw new Finding(failures.map(({ message }) => message).join('\nor '))
  }

  async #create(count: number, made: Create[], isCut: boolean): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      const create: Create = { name: `c${this.#figures.rounds}.${n}`, categoryId: 1 + (n % 3), id: undefined, endMs: 0 }
      made.push(create)
      const answer = await this.#site.request('/pets', { name: create.name, categoryId: create.categoryId })
      create.endMs = performance.now()
      if (answer?.status === 201) {
        create.id = String((JSON.parse(answer.body) as { id: number }).id)
        this.#figures.creates += 1
      } else if (answer === undefined ? !isCut : answer.status !== 503) {
        throw new Finding(`a create is answered ${answer?.status}: ${answer?.body}\n${this.#site.output()}`)
      }
    }
  }

  async #step(step: Step, isCalm: boolean): Promise<Ran> {
    const { args, about } = this.#lineOf(step)
    const isPossible = attempt(this.#state.has, { step, about }) !== undefined
    const ended = await this.#site.run(args, step)
    this.#figures.commands += 1
    const { code, stdout, stderr } = ended
    const outcome = code === 0 ? 'acknowledged' : code === null || code === 130 ? 'cut' : 'refused'
    if (outcome === 'cut') this.#figures.cuts += 1
    if (outcome === 'refused') this.#figures.refused += 1
    const isTakenForServed = stderr.includes('is served by') && ended.startMs - this.#killedMs < KILLED_SERVES_MS
    // A backup that hears the signal removes what it has made, and says so.
    const isInterrupted = step.cut !== undefined && stderr.includes('was cut off')
    const mayRefuse = MAY_REFUSE.includes(step.act) || about.includes('0') || isTakenForServed || isInterrupted
    if (outcome === 'refused' && isCalm && isPossible && !step.isOther && !mayRefuse) {
      throw new Finding(`refused without a reason: pets ${args.join(' ')}\n${stderr}`)
    }
    const secret = /"id":"(\w+)".*"key":"([^"]+)"/.exec(stdout)
    if (secret?.[1] !== undefined && secret[2] !== undefined) this.#secrets.set(secret[1], secret[2])
    return { step, about, outcome, stdout, startMs: ended.startMs, endMs: ended.endMs }
  }

  #lineOf(step: Step) {
    const files = this.#backups.map(({ file }) => file)
    return lineOf(step, this.#state, this.#site, files)
  }

  /** A backup that is there is whole: a state between that before the round and that after it. */
  async #checkBackups(before: State, ran: readonly Ran[], made: readonly Create[]): Promise<void> {
    for (const { step, about, outcome, startMs } of ran) {
      const [file = ''] = about
      if (step.act !== 'backup') continue
      if (!existsSync(file)) {
        if (outcome === 'acknowledged') throw new Finding(`acknowledged, and not there: the backup ${file}`)
        continue
      }
      const copy = `${file}.looked-at`
      copyFileSync(file, copy)
      const seen = await this.#site.look(`sqlite:${copy}`)
      const others = ran.filter((command) => command.step.act !== 'restore')
      this.#backups.push({ file, state: explain(before, seen, others, made, startMs) })
      for (const suffix of ['', '-wal', '-shm', '.serving', '.importing', '.using'])
        rmSync(copy + suffix, { force: true })
    }
  }

  /** A copy that was cut is finished by the same command; then both sides are the same. */
  async #checkCopies(ran: readonly Ran[]): Promise<void> {
    if (ran.some(({ step, outcome }) => step.act === 'restore' && outcome !== 'refused')) return
    for (const { step, about, outcome } of ran) {
      const [file = ''] = about
      if (step.act !== 'copy' || outcome === 'refused') continue
      if (outcome === 'cut' || ran.length > 1) {
        const { args } = this.#lineOf(step)
        const { code, stderr } = await this.#site.run(args)
        if (code !== 0 && ran.length === 1) throw new Finding(`a copy that was cut cannot be finished: ${stderr}`)
        if (code !== 0) continue
      }
      explain(this.#state, await this.#site.look(`sqlite:${file}`), [], [])
      rmSync(file)
    }
  }

  /** A search for the name of one animal finds it, and all others with that text in their names. */
  async #checkSearch(seen: Seen, fraction: number): Promise<void> {
    const text = seen.animals[Math.floor(fraction * seen.animals.length)]?.name
    if (text === undefined) return
    const line = ['find', text, '--json', '--limit', '10000', '--database', this.#site.database]
    const { code, stdout, stderr } = await this.#site.run(line)
    if (code !== 0) throw new Finding(`find ends with ${code}: ${stderr}`)
    const found = new Set(stdout.match(/(?<=^\{"id":)\d+/gm))
    const expected = new Set(seen.animals.filter(({ name }) => name.includes(text)).map(({ id }) => id))
    const wrong = [...found.symmetricDifference(expected)]
    if (wrong.length > 0) throw new Finding(`find ${text} is wrong about ${wrong.length} animals, such as ${wrong[0]}`)
  }

  /** Each answer is counted in the day, which a service that is stopped keeps. Nodes may count alone for a while. */
  #checkCounts(): void {
    const { answers, told } = this.#site.counted
    const uncounted = answers - told
    if (this.#isFile && this.#uncounted !== undefined && this.#uncounted !== uncounted)
      throw new Finding(`${uncounted - this.#uncounted} of ${answers} answers are not counted in the day`)
    this.#uncounted = uncounted
  }

  /** The lists and the keys, over HTTP. */
  async #checkAnswers(seen: Seen): Promise<void> {
    const newest = seen.animals.toSorted((a, b) => Number(b.id) - Number(a.id))
    for (const status of [undefined, 'available', 'pending', 'sold']) {
      const path = `/pets?limit=100${status === undefined ? '' : `&status=${status}`}`
      const answer = await this.#site.request(path)
      const ids = newest.filter((pet) => status === undefined || pet.status === status).slice(0, 100)
      const expected = JSON.stringify(ids.map(({ id, ...pet }) => ({ id: Number(id), ...pet })))
      if (answer?.status !== 200 || answer.body !== expected) {
        throw new Finding(`GET ${path} is answered ${answer?.status} ${answer?.body}, not ${expected}`)
      }
    }
    this.#checkCounts()
    for (const [id, secret] of this.#secrets) {
      // A restore of a backup from before it leaves none.
      const key = this.#state.has.keys.get(id)
      const isInForce = key !== undefined && key.revokedAtMs === undefined
      // On PostgreSQL a node may not know of a revocation for five seconds.
      if (!isInForce && !this.#isFile) continue
      const answer = await this.#site.request('/pets?limit=1', undefined, secret)
      if (answer?.status !== (isInForce ? 200 : 401)) throw new Finding(`key ${id} is answered ${answer?.status}`)
    }
  }
}
