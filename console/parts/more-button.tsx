import { useState } from 'preact/hooks'
import { type ApiError, asApiError } from '../api/api-error.ts'
import { texts } from '../texts/index.ts'
import { Failed } from './failed.tsx'

/** The button behind a list that has more; nothing where it has not. */
export function MoreButton(props: { more: (() => Promise<void>) | undefined; text?: string }) {
  const { more, text = texts.common.more } = props
  const [error, setError] = useState<ApiError>()
  if (!more) return null
  const show = async () => {
    setError(undefined)
    try {
      await more()
    } catch (failure) {
      setError(asApiError(failure))
    }
  }
  if (error) return <Failed error={error} again={() => void show()} />
  return (
    <p class="after">
      <button type="button" class="btn plain" onClick={() => void show()}>
        {text}
      </button>
    </p>
  )
}
