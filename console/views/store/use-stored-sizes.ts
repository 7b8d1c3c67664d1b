import { useEffect, useState } from 'preact/hooks'
import { storedSizes } from '../../compress/stored-sizes.ts'
import type { ChosenFile } from '../../core/chosen-files.ts'
import type { FileSource } from '../../upload/read-dropped.ts'

/** The stored size of each of `files` on a chain, once it is known. Starts again when the choice changes. */
export function useStoredSizes(files: readonly ChosenFile<FileSource>[]): readonly number[] | undefined {
  const [known, setKnown] = useState<{ files: typeof files; sizes: readonly number[] }>()
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    storedSizes(
      files.map(({ source }) => source.file),
      signal,
    ).then((sizes) => {
      if (sizes && !signal.aborted) setKnown({ files, sizes })
    })
    return () => controller.abort()
  }, [files])
  return known?.files === files ? known.sizes : undefined
}
