import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/**
 * The kernel's figures for one workerd process. Linux only; elsewhere `find` returns nothing, and rows of memory and
 * CPU are left out.
 */
export class WorkerdProcess {
  readonly pid: number

  constructor(pid: number) {
    this.pid = pid
  }

  /** The workerd that this process started and that is not in `known`. */
  static find(known: readonly WorkerdProcess[] = []): WorkerdProcess | undefined {
    const pids = workerdChildren().filter((pid) => !known.some((other) => other.pid === pid))
    return pids[0] === undefined ? undefined : new WorkerdProcess(pids[0])
  }

  /** CPU time spent so far, in milliseconds. */
  cpuMs(): number {
    const tasks = readdirSync(`/proc/${this.pid}/task`)
    const spent = tasks.map((task) =>
      Number(readFileSync(`/proc/${this.pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]),
    )
    return spent.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6
  }

  /** Resident memory now, in bytes. */
  residentBytes(): number {
    return this.#status('VmRSS')
  }

  /** The most resident memory since {@link resetPeak}, in bytes. */
  peakBytes(): number {
    return this.#status('VmHWM')
  }

  resetPeak(): void {
    writeFileSync(`/proc/${this.pid}/clear_refs`, '5')
  }

  #status(name: string): number {
    const text = readFileSync(`/proc/${this.pid}/status`, 'utf8')
    return 1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1])
  }
}

/** Fields of /proc/<pid>/stat from the third on; the second, the name, may contain anything. */
function statFields(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

function workerdChildren(): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
        return name === 'workerd' && Number(statFields(pid)[1]) === process.pid
      } catch {
        return false // ended meanwhile
      }
    })
}
