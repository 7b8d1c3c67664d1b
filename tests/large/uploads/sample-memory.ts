import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { WorkerdProcess } from '../../../bench/workerd-process.ts'

const EVERY_MS = 500

/** Resident memory in bytes: of the page's process, and of workerd with its R2 and D1. */
export interface MemorySample {
  share: number
  page: number
  workerd: number
}

/** Samples memory until it is stopped; `share` says how much of the upload was done. */
export async function sampleMemory(browser: Browser, share: () => number) {
  const devtools = await browser.newBrowserCDPSession()
  const workerd = WorkerdProcess.find()
  const samples: MemorySample[] = []
  const look = async () => {
    const { processInfo } = await devtools.send('SystemInfo.getProcessInfo')
    const page = Math.max(0, ...processInfo.map(({ id, type }) => (type === 'renderer' ? residentBytes(id) : 0)))
    samples.push({ share: share(), page, workerd: workerd?.residentBytes() ?? 0 })
  }
  const timer = setInterval(() => void look().catch(() => undefined), EVERY_MS)
  return {
    samples,
    stop() {
      clearInterval(timer)
    },
  }
}

/** 0 for a process that has ended. */
function residentBytes(pid: number): number {
  try {
    return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}
