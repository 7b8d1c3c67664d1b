import { useEffect, useState } from 'preact/hooks'
import { kindOf } from '../../core/media-type-of.ts'
import { Icon } from '../../parts/icon.tsx'

/** Larger pictures (bytes) take too long to be decoded for a thumbnail. */
const MAX_BYTES = 20_000_000

/** A thumbnail of a chosen picture, from the file itself; an icon for other files and for what the browser cannot show. */
export function ChosenPicture({ file, mimetype }: { file: File | undefined; mimetype: string }) {
  const [url, setUrl] = useState<string>()
  const picture = kindOf(mimetype) === 'picture' && file !== undefined && file.size <= MAX_BYTES ? file : undefined
  useEffect(() => {
    if (!picture) return
    const made = URL.createObjectURL(picture)
    setUrl(made)
    return () => {
      setUrl(undefined)
      URL.revokeObjectURL(made)
    }
  }, [picture])
  return url === undefined ? (
    <Icon name={kindOf(mimetype)} />
  ) : (
    <img class="thumbnail" src={url} alt="" onError={() => setUrl(undefined)} />
  )
}
