import { UnreachableError } from './ask.ts'
import {
  checkHook,
  checkNotModified,
  checkRanges,
  checkSample,
  checkStoredBrotli,
  checkSubdomain,
} from './check-bytes.ts'
import { checkCertificates, checkForgedAddress, checkHttps } from './check-hosts.ts'
import { checkChains, checkMail, checkMinute, checkStorage, checkTips } from './check-state.ts'
import type { Target } from './target.ts'

/** What is checked: the name, what holds where it is right, and what is wrong where it is not. */
const CHECKS = {
  storage: ['the database and the bucket answer', checkStorage],
  minute: ['the job of the minute ended well less than 3 minutes ago', checkMinute],
  mail: ['no mail waits', checkMail],
  chains: ['each chain can be read and sells', checkChains],
  tips: ['each chain has a new block', checkTips],
  page: ['a page arrives unaltered from both hosts', (target) => checkSample(target, 'page')],
  script: ['a script arrives unaltered from both hosts', (target) => checkSample(target, 'script')],
  picture: ['a picture arrives unaltered from both hosts', (target) => checkSample(target, 'picture')],
  subdomain: ['a page arrives unaltered from the host of its CID', checkSubdomain],
  hook: ['hook.js arrives in Brotli and without, with the hash that pages pin', checkHook],
  brotli: [
    'content of a chain arrives in the Brotli that is stored',
    (target) => (target.content ? checkStoredBrotli(target, target.content) : undefined),
  ],
  ranges: ['a range is answered with that range', checkRanges],
  conditions: ['who has the content already is answered 304', checkNotModified],
  https: ['http leads to https', checkHttps],
  certificates: ['the hosts of items, CIDs and names have certificates', checkCertificates],
  address: ['a client cannot choose the address that it is counted by', checkForgedAddress],
} satisfies Record<string, readonly [string, (target: Target) => string | undefined | Promise<string | undefined>]>

export type CheckName = keyof typeof CHECKS

/** What is not checked where: on this machine, and where no content is known. The only list of it. */
const SKIPPED: readonly { name: CheckName; where: (target: Target) => boolean; because: string }[] = [
  { name: 'https', where: ({ local }) => local, because: 'this machine is reached by http' },
  { name: 'certificates', where: ({ local }) => local, because: 'this machine is reached by http' },
  { name: 'tips', where: ({ local }) => local, because: 'embedded chains make a block only where something waits' },
  {
    name: 'brotli',
    where: ({ content }) => content === undefined,
    because: 'no content is known: name some with --content, or set CONSOLE_LETTER',
  },
]

export interface Finding {
  name: CheckName
  outcome: 'ok' | 'failed' | 'skipped'
  text: string
}

/** Checks everything at once. Changes nothing but that two logins of nobody are counted for a quarter of an hour. */
export async function probe(target: Target): Promise<Finding[]> {
  const names = Object.keys(CHECKS).filter((name): name is CheckName => name in CHECKS)
  return await Promise.all(names.map(async (name) => await check(name, target)))
}

async function check(name: CheckName, target: Target): Promise<Finding> {
  const [holds, find] = CHECKS[name]
  const skipped = SKIPPED.find((one) => one.name === name && one.where(target))
  if (skipped) return { name, outcome: 'skipped', text: skipped.because }
  try {
    const problem = await find(target)
    return problem === undefined ? { name, outcome: 'ok', text: holds } : { name, outcome: 'failed', text: problem }
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error
    return { name, outcome: 'failed', text: error.message }
  }
}
