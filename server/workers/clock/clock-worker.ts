import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers'

const MINUTE = 60_000
/** The first minute after a start is due soon, so that what waited is done. */
const FIRST = 1_000

interface Env {
  CLOCKS: DurableObjectNamespace<Clock>
  MAIN: Fetcher & { scheduled(options: { cron: string }): Promise<unknown> }
}

/** Runs the jobs of the minute, by an alarm that outlasts the process. */
export class Clock extends DurableObject<Env> {
  /** Has the next minute begin where none is due. */
  async start(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + FIRST)
  }

  override async alarm(): Promise<void> {
    // Before the jobs: what ends this process meanwhile does not end the clock.
    await this.ctx.storage.setAlarm(Date.now() + MINUTE)
    try {
      await this.env.MAIN.scheduled({ cron: '* * * * *' })
    } catch (error) {
      console.error('minute_failed', error)
    }
  }
}

/** Starts the clock. */
export default class ClockWorker extends WorkerEntrypoint<Env> {
  async start(): Promise<void> {
    await this.env.CLOCKS.get(this.env.CLOCKS.idFromName('minute')).start()
  }
}
