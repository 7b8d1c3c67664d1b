import type { Schemas } from '../../api/client.ts'
import { type ChosenFile, refusedFiles } from '../../core/chosen-files.ts'
import { refusalSentence } from '../../core/refusal-sentence.ts'
import { groupDigits } from '../../core/size-text.ts'
import { FieldError } from '../../parts/field.tsx'
import { texts } from '../../texts/index.ts'

/** Refusals that are spelled out; the rest is a count. */
const MAX_SHOWN = 5

/** Why a target does not take what was chosen. */
type Fault =
  | { kind: 'down'; text: string }
  | { kind: 'many' }
  | { kind: 'files'; refusals: ReturnType<typeof refusedFiles> }

/** @param stored The bytes that each file is stored in on a chain, where that is known. */
export function faultOf(
  target: Schemas['Target'],
  files: readonly ChosenFile[],
  stored: readonly number[] | undefined,
): Fault | undefined {
  if (!target.available) return { kind: 'down', text: target.reason ?? texts.store.unavailable(target.blockchain) }
  const refusals = refusedFiles(files, target, target.blockchain === 'IPFS' ? undefined : stored)
  if (refusals.length > 0) return { kind: 'files', refusals }
  return files.length > target.maxFiles ? { kind: 'many' } : undefined
}

/** The reasons, each with its way out. */
export function Refused(props: {
  target: Schemas['Target']
  fault: Fault
  files: readonly ChosenFile[]
  targets: readonly Schemas['Target'][]
  onFiles(kept: ReadonlySet<string>): void
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
