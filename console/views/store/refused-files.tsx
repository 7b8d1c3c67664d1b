import type { Schemas } from '../../api/client.ts'
import type { OnChain } from '../../core/as-websites.ts'
import { type ChosenFile, refusedFiles } from '../../core/chosen-files.ts'
import { refusalSentence } from '../../core/refusal-sentence.ts'
import { groupDigits } from '../../core/size-text.ts'
import { FieldError } from '../../parts/field.tsx'
import { texts } from '../../texts/index.ts'

/** Refusals that are shown; the others are counted. */
const MAX_SHOWN = 5

/** Why a target refuses the chosen files. */
type Fault =
  | { kind: 'down'; text: string }
  | { kind: 'many' }
  | { kind: 'files'; refusals: ReturnType<typeof refusedFiles> }

/** Why a target refuses these files. `stored` has their stored sizes, if known. */
export function faultOf(target: Schemas['Target'], { files, stored }: OnChain): Fault | undefined {
  if (!target.available) return { kind: 'down', text: target.reason ?? texts.store.unavailable(target.blockchain) }
  const refusals = refusedFiles(files, target, stored)
  if (refusals.length > 0) return { kind: 'files', refusals }
  return files.length > target.maxFiles ? { kind: 'many' } : undefined
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
  if (fault.kind === 'down') return <FieldError>{fault.text}</FieldError>
  if (fault.kind === 'many') {
    return (
      <FieldError>
        {texts.store.tooMany(groupDigits(files.length), target.blockchain, groupDigits(target.maxFiles))}
      </FieldError>
    )
  }
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
