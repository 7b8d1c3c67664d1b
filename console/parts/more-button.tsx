import { useState } from 'preact/hooks'
import type { HooklineError } from '../../client/http/api-error.ts'
import { asFailure } from '../api/failure.ts'
import { texts } from '../texts/index.ts'
import { Failed } from './failed.tsx'

/** The button below a list that has more pages; nothing otherwise. */
export function MoreButton(props: { more: (() => Promise<void>) | undefined; text?: string }) {
  const { more, text = texts.common.more } = props
  const [error, setError] = useState<HooklineError>()
  const [busy, setBusy] = useState(false)
  if (!more) return null
  const show = async () => {
    setError(undefined)
    setBusy(true)
    try {
      await more()
    } catch (failure) {
      setError(asFailure(failure))
    } finally {
      setBusy(false)
    }
  }
  if (error) return <Failed error={error} again={() => void show()} />
  return (
    <p class="after">
      <button type="button" class="btn plain" onClick={() => void show()} disabled={busy}>
        {busy ? texts.common.going(text) : text}
      </button>
    </p>
  )
}
