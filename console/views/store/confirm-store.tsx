import { useState } from 'preact/hooks'
import type { StorageTarget } from '../../../protocol/chains.ts'
import { totalBytes } from '../../core/chosen-files.ts'
import { counted } from '../../core/plural.ts'
import { sizeText } from '../../core/size-text.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Check } from '../../parts/field.tsx'
import { texts } from '../../texts/index.ts'

/** Asks once per order: what, how large, where, that it is public and stays. */
export function ConfirmStore(props: {
  files: readonly { size: number }[]
  target: StorageTarget
  onClose(): void
  onStore(): void
}) {
  const [known, setKnown] = useState(false)
  const [tried, setTried] = useState(false)
  const { files, target } = props
  const ipfs = target === 'IPFS'
  const count = files.length
  return (
    <Dialog title={ipfs ? texts.confirm.titleIpfs(count) : texts.confirm.title(count)} onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          setTried(true)
          if (known) props.onStore()
        }}
      >
        <p>{texts.confirm.facts(counted(count, 'file'), sizeText(totalBytes(files)), texts.whereLower[target])}</p>
        <Check checked={known} onChange={setKnown} error={tried && !known ? texts.confirm.missing : undefined}>
          {ipfs ? texts.confirm.checkIpfs : texts.confirm.check}
        </Check>
        <p class="row">
          <button type="submit" class="btn primary">
            {texts.store.upload(count)}
          </button>
          <button type="button" class="btn plain" onClick={props.onClose}>
            {texts.common.cancel}
          </button>
        </p>
      </form>
    </Dialog>
  )
}
