import { BodyPace } from '../../../platform/flow/body-pace.ts'
import { logOnceAMinute } from '../../../platform/records/log-once-a-minute.ts'
import { renewUploadLease } from '../sql/upload-leases.ts'

/** How often a writer checks whether it may continue, in milliseconds. */
const TICK = 1000
/** Ticks between renewals while bytes arrive. */
const RENEW_EVERY = 3
/** A writer that receives nothing for so long ends, in milliseconds: its client is gone, or will reconnect. */
const IDLE_LIMIT = 30_000

/** A lease that is held while a part is read. */
export interface RenewedLease {
  /** To be called when so many bytes have arrived. */
  onBytes(count: number): void
  /** Why the writer was stopped. */
  readonly stopped: 'displaced' | 'stalled' | undefined
  end(): void
}

/**
 * Renews the lease of an upload while its part is read. A writer that receives nothing makes room when another one
 * waits, and ends by itself after a while, as does one whose bytes arrive too slowly; `stop` is called then. One that
 * receives bytes at a usual pace is never disturbed.
 */
export function renewLeaseWhile(
  db: D1Database,
  lease: { itemId: string; holder: string },
  clock: () => number,
  stop: () => void,
): RenewedLease {
  let stopped: RenewedLease['stopped']
  let heard = clock()
  const pace = new BodyPace(heard)
  let ticks = 0
  let asking = false
  const halt = (reason: RenewedLease['stopped']) => {
    stopped ??= reason
    clearInterval(timer)
    stop()
  }
  const look = async () => {
    const idleFor = clock() - heard
    if (idleFor > IDLE_LIMIT || pace.isTooSlow(clock())) return halt('stalled')
    const idle = idleFor >= TICK
    if (asking || (!idle && ++ticks % RENEW_EVERY !== 0)) return
    asking = true
    try {
      if (!(await renewUploadLease(db, { ...lease, idle }, clock()))) halt('displaced')
    } finally {
      asking = false
    }
  }
  // Where the database fails, the next tick tries again: the lease is valid until then, and chunks never replace newer ones.
  const timer = setInterval(
    () => void look().catch((cause: unknown) => logOnceAMinute('error', 'lease_not_renewed', cause)),
    TICK,
  )
  return {
    onBytes(count) {
      heard = clock()
      pace.add(count)
    },
    get stopped() {
      return stopped
    },
    end: () => clearInterval(timer),
  }
}
