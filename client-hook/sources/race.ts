/**
 * The state of asking several sources for one body. Pure: the caller sends requests to those that are new in `asked`.
 */
export interface Race {
  /** Not asked yet, in order. */
  readonly waiting: readonly string[]
  /** Asked, without an outcome yet. */
  readonly asked: readonly string[]
  /** The error of the first source that failed. */
  readonly failure?: unknown
  /** The outcome of the race; it does not change any more. */
  readonly outcome?: { readonly won: string } | { readonly error: unknown }
}

export type RaceEvent =
  /** For a second too few bytes arrived from all requested sources. */
  | { readonly type: 'silence' }
  | { readonly type: 'arrival'; readonly source: string }
  /** `final`: the content itself is refused, so no other source is requested. */
  | { readonly type: 'failure'; readonly source: string; readonly error: unknown; readonly final: boolean }

/**
 * Starts with the first of `sources`, and with the second too if the first was silent the last time. So an API host
 * that hangs costs a page one second, and not one second for each element.
 */
export function startRace(sources: readonly string[], silent: ReadonlySet<string>): Race {
  return askNext({ waiting: sources, asked: [] }, silent)
}

/** The race after an event. Each source is requested at most once. */
export function continueRace(race: Race, event: RaceEvent, silent: ReadonlySet<string>): Race {
  if (race.outcome) return race
  if (event.type === 'silence') return askNext(race, silent)
  const { source } = event
  if (!race.asked.includes(source)) return race
  if (event.type === 'arrival') return { ...race, outcome: { won: source } }
  const { error, final } = event
  if (final) return { ...race, outcome: { error } }
  const { failure = error } = race
  const next = askNext({ ...race, asked: race.asked.filter((one) => one !== source), failure }, silent)
  return next.asked.length > 0 ? next : { ...next, outcome: { error: failure } }
}

function askNext(race: Race, silent: ReadonlySet<string>): Race {
  const [first] = race.waiting
  const count = first !== undefined && silent.has(first) ? 2 : 1
  return { ...race, waiting: race.waiting.slice(count), asked: [...race.asked, ...race.waiting.slice(0, count)] }
}
