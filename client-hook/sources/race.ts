/** How sources are asked for one body: a pure state machine. Who runs it asks those that are new in `asked`. */
export interface Race {
  /** Not asked yet, in the order in which they will be. */
  readonly waiting: readonly string[]
  /** Asked, with no outcome yet. */
  readonly asked: readonly string[]
  /** What the first threw that failed. */
  readonly failure?: unknown
  /** How the race ended: nothing changes it any more. */
  readonly outcome?: { readonly won: string } | { readonly error: unknown }
}

export type RaceEvent =
  /** A second has passed in which too little came from all that are asked. */
  | { readonly type: 'silence' }
  | { readonly type: 'arrival'; readonly source: string }
  /** `final`: it is the content that is refused, whoever is asked. */
  | { readonly type: 'failure'; readonly source: string; readonly error: unknown; readonly final: boolean }

/**
 * Asks the first of `sources`, and the second beside it where the first is one of those that were silent when they were
 * asked last: an API host that hangs costs a page one second, and not one for each of its elements.
 */
export function startRace(sources: readonly string[], silent: ReadonlySet<string>): Race {
  return askNext({ waiting: sources, asked: [] }, silent)
}

/** The race after an event. Every source is asked once at most. */
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
