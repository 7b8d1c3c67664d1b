import { isRecord } from '../../worker/platform/http/is-record.ts'
import { DeployError } from './deploy.ts'
import type { DeployMachine } from './machine.ts'
import { errorText } from './wrangler.ts'

/** A version of the Worker that Cloudflare keeps. */
interface StoredVersion {
  id: string
  /** The commit that it is of; `undefined` where it was deployed without one, or is a change of a secret. */
  tag: string | undefined
  /** As Cloudflare writes it. */
  createdOn: string
}

/**
 * Deploys a version that Cloudflare has stored, with the settings and secrets that it had; nothing is built, and no table is changed.
 * Of several with the same tag the newest.
 * @param tag a commit, as `/v0/health` names it; without one the versions that there are are listed
 * @throws {DeployError}
 */
export async function rollback(
  { wrangler, print }: Pick<DeployMachine, 'wrangler' | 'print'>,
  config: string,
  tag: string | undefined,
): Promise<void> {
  const listed = await wrangler(['versions', 'list', '--json', '--config', config], { quiet: true })
  if (!listed.ok) throw new DeployError(`The versions of the Worker cannot be listed:\n${errorText(listed)}`)
  const versions = readVersions(listed.output)
  if (tag === undefined) {
    for (const { tag: name, createdOn } of versions) if (name !== undefined) print(`${name}  ${createdOn}`)
    return
  }
  const found = versions.find((version) => version.tag === tag)
  // The list has the last ten; Wrangler itself looks among a hundred.
  const which = found ? [`${found.id}@100%`] : ['--version-tag', `${tag}@100%`]
  const message = ['--message', `back to ${tag}`]
  const { ok } = await wrangler(['versions', 'deploy', ...which, ...message, '--yes', '--config', config])
  if (!ok) {
    throw new DeployError(
      `The version ${tag} was not deployed; the one of before goes on. \`npm run rollback\` lists the versions that there are.`,
    )
  }
  print(`Deployed ${tag} as it was. /v0/health names it; \`npm run deploy\` deploys this checkout again.`)
}

/** The newest first. */
function readVersions(output: string): StoredVersion[] {
  const list: unknown = JSON.parse(output.slice(output.indexOf('[')))
  if (!Array.isArray(list)) throw new DeployError('The versions of the Worker cannot be listed.')
  const versions = list.flatMap((one: unknown): StoredVersion[] => {
    if (!isRecord(one)) return []
    const tag = isRecord(one.annotations) ? one.annotations['workers/tag'] : undefined
    const createdOn = isRecord(one.metadata) ? String(one.metadata.created_on) : ''
    return [{ id: String(one.id), tag: typeof tag === 'string' ? tag : undefined, createdOn }]
  })
  return versions.sort((a, b) => b.createdOn.localeCompare(a.createdOn))
}
