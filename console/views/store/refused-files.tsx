import { MAX_DIRECTORY_FILES } from '../../../contract/limits.ts'
import type { Schemas } from '../../api/client.ts'
import type { OnChain } from '../../core/as-websites.ts'
import {
  type ChosenFile,
  crowdedFolder,
  misplacedFiles,
  oversizedFiles,
  type Refusal,
} from '../../core/chosen-files.ts'
import { refusalSentence } from '../../core/refusal-sentence.ts'
import { groupDigits } from '../../core/size-text.ts'
import { FieldError } from '../../parts/field.tsx'
import { texts } from '../../texts/index.ts'

/** Refusals that are shown; the others are counted. */
const MAX_SHOWN = 5

/** Why a target refuses the chosen files. */
type Fault =
  | { kind: 'down'; text: string }
  | { kind: 'many'; text: string }
  | { kind: 'files'; refusals: readonly Refusal[] }

/** Why a target refuses the `chosen` files, which it stores as `files`. `stored` has the stored sizes of these, if known. */
export function faultOf(
  target: Schemas['Target'],
  { files, stored }: OnChain,
  chosen: readonly ChosenFile[],
): Fault | undefined {
  if (!target.available) return { kind: 'down', text: target.reason ?? texts.store.unavailable(target.blockchain) }
  const misplaced = misplacedFiles(chosen)
  const refusals = misplaced.length > 0 ? misplaced : oversizedFiles(files, target, stored)
  if (refusals.length > 0) return { kind: 'files', refusals }
  if (files.length > target.maxFiles) {
    const [count, most] = [groupDigits(files.length), groupDigits(target.maxFiles)]
    return { kind: 'many', text: texts.store.tooMany(count, target.blockchain, most) }
  }
  const crowded = files.length < chosen.length ? crowdedFolder(chosen) : undefined
  if (!crowded) return undefined
  const [count, most] = [groupDigits(crowded.files), groupDigits(MAX_DIRECTORY_FILES)]
  return { kind: 'many', text: texts.store.websiteTooMany(crowded.name, count, most) }
}

/** The reasons, each with what the user can do. */
export function Refused(props: {
  target: Schemas['Target']
  fault: Fault
  files: readonly ChosenFile[]
  targets: readonly Schemas['Target'][]
  onFiles(kept: ReadonlySet<string>): void
  /** Stores folders file by file. */
  onAsFiles(): void
}) {
  const { target, fault, files } = props
  if (fault.kind !== 'files') return <FieldError>{fault.text}</FieldError>
  const leave = (paths: readonly string[]) => {
    const gone = new Set(paths)
    props.onFiles(new Set(files.map(({ path }) => path).filter((path) => !gone.has(path))))
  }
  const { refusals } = fault
  // A path that is no chosen file is a folder as one website.
  const paths = new Set(files.map(({ path }) => path))
  const websites = refusals.filter(({ path }) => !paths.has(path))
  if (websites.length > 0) {
    return (
      <>
        {websites.slice(0, MAX_SHOWN).map((refusal) => (
          <FieldError key={refusal.path}>{refusalSentence(refusal, target.blockchain, props.targets, true)}</FieldError>
        ))}
        <p>
          <button type="button" class="btn plain" onClick={props.onAsFiles}>
            {texts.store.storeAsFiles}
          </button>
        </p>
      </>
    )
  }
  return (
    <>
      {refusals.slice(0, MAX_SHOWN).map((refusal) => (
        <div key={refusal.path} class="refusal">
          <FieldError>{refusalSentence(refusal, target.blockchain, props.targets)}</FieldError>
          <button
            type="button"
            class="btn plain"
            aria-label={texts.store.leaveOut(refusal.path)}
            onClick={() => leave([refusal.path])}
          >
            {texts.store.leaveItOut}
          </button>
        </div>
      ))}
      {refusals.length > 1 && (
        <p>
          {refusals.length > MAX_SHOWN && texts.store.moreRefused(refusals.length - MAX_SHOWN)}{' '}
          <button type="button" class="btn plain" onClick={() => leave(refusals.map(({ path }) => path))}>
            {texts.store.leaveAllOut(refusals.length)}
          </button>
        </p>
      )}
    </>
  )
}
