import { type FolderForm, formOfFolder } from '../../client/folder/folder-form.ts'
import { faultOfDepth } from '../../client/store/put-plan.ts'
import type { Target } from '../../client/types.ts'
import { MAX_DIRECTORY_FILES } from '../../contract/limits.ts'
import type { StorageTarget } from '../../protocol/chains.ts'
import { CommandError, usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import { type Content, faulty } from './read-content.ts'

/**
 * Whether content becomes one directory, by --as or by default.
 * @throws {CommandError} 2 for a file, or for more files than one directory may have
 */
export function isWebsite({ line }: Pick<Context, 'line'>, content: Content, target: StorageTarget): boolean {
  const given = formGiven(line.value('as'))
  if (content.kind === 'file') {
    if (given === 'website') throw usageError(`${content.name} is a file, but a website must be a folder.`)
    return false
  }
  if ((given ?? formOfFolder(target, content.files)) === 'files') {
    checkDepth(content, false)
    return false
  }
  const count = content.files.length
  if (count <= MAX_DIRECTORY_FILES) {
    checkDepth(content, true)
    return true
  }
  throw usageError(
    `${content.name} has ${count.toLocaleString('en')} files, and the limit of one website is ${MAX_DIRECTORY_FILES.toLocaleString('en')}.`,
    'Store parts of it, or each file separately with --as files.',
  )
}

function formGiven(text: string | undefined): FolderForm | undefined {
  return text === 'website' || text === 'files' ? text : undefined
}

/** @throws {CommandError} 2 if a folder of the content is deeper than the service takes, with a sentence for each */
export function checkDepth({ files, emptyFolders }: Content, website: boolean): void {
  const above = website ? 1 : 0
  const folders = files.map(({ path }) => [path, path.slice(0, Math.max(0, path.lastIndexOf('/')))] as const)
  const empty = emptyFolders.map((path) => [path, path] as const)
  const problems = [...folders, ...(website ? empty : [])].flatMap(([path, folder]) => {
    const fault = faultOfDepth(folder, above)
    return fault === undefined ? [] : [`${path}: it ${fault}.`]
  })
  if (problems.length > 0) throw faulty(problems)
}

/** @throws {CommandError} 5 if a website is too large for a chain even with the best compression */
export function checkWebsite({ name, bytes }: Content, target: StorageTarget, { maxFileBytes }: Target): void {
  if (bytes <= maxFileBytes) return
  const [has, most] = [bytes.toLocaleString('en'), maxFileBytes.toLocaleString('en')]
  const message = `${name} has ${has} bytes in all, and the limit of one website on ${target} is ${most}.`
  const elsewhere = target === 'IPFS' ? '' : '--to ipfs has a higher limit; '
  throw new CommandError(EXIT.refused, 'content_too_large', message, {
    hint: `Nothing was sent. ${elsewhere}--as files stores each file separately.`,
  })
}
