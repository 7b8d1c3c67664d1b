import { useState } from 'preact/hooks'
import { BLOCKCHAINS, type Blockchain } from '../../../protocol/chains.ts'
import { api } from '../../api/client.ts'
import { sizeText } from '../../core/size-text.ts'
import { useTask } from '../../hooks/use-task.ts'
import { Failed } from '../../parts/failed.tsx'
import { Field, focusFault, Segments } from '../../parts/field.tsx'
import { decodeTexts } from '../../texts/decode.ts'

type Decoded = Awaited<ReturnType<typeof read>>

const read = (blockchain: Blockchain, txid: string) =>
  api.GET('/v0/decode/{blockchain}/{txid}', { params: { path: { blockchain, txid } } })

/** Asks for a transaction, and lists what it holds, whoever wrote it. */
export default function Decode() {
  const [blockchain, setBlockchain] = useState<Blockchain>('Bitcoin')
  const [txid, setTxid] = useState('')
  const [tried, setTried] = useState(false)
  const [asked, setAsked] = useState<Blockchain>(blockchain)
  const [found, setFound] = useState<Decoded['items']>()
  const { busy, error, run } = useTask()
  const wanted = txid.trim().toLowerCase()
  const wrong = !/^[0-9a-f]{64}$/.test(wanted)
  const look = (event: Event) => {
    event.preventDefault()
    setTried(true)
    if (wrong) return focusFault(event.currentTarget)
    setFound(undefined)
    setAsked(blockchain)
    void run(async () => setFound((await read(blockchain, wanted)).items))
  }
  return (
    <section class="after">
      <h2>{decodeTexts.title}</h2>
      <p class="quiet">{decodeTexts.lead}</p>
      <form class="form" onSubmit={look} noValidate>
        <p>
          <Segments<Blockchain>
            label={decodeTexts.chain}
            value={blockchain}
            options={BLOCKCHAINS.map((value) => ({ value, label: value }))}
            onValue={setBlockchain}
          />
        </p>
        <Field
          mono
          label={decodeTexts.txid}
          value={txid}
          onValue={setTxid}
          fault={wrong ? decodeTexts.wrong : undefined}
          tried={tried}
        />
        <button type="submit" class="btn" disabled={busy}>
          {decodeTexts.look}
        </button>
      </form>
      {error?.status === 404 && <p role="alert">{decodeTexts.absent(asked)}</p>}
      {error && error.status !== 404 && <Failed error={error} />}
      <p role="status">{found && (found.length === 0 ? decodeTexts.nothing : decodeTexts.found(found.length))}</p>
      {found && (
        <ul>
          {found.map((item) => (
            <Entry key={`${item.name} ${item.input} ${item.vout}`} blockchain={asked} item={item} />
          ))}
        </ul>
      )}
    </section>
  )
}

/** What is said of one entry, and a link to it where a name alone opens it. */
function Entry({ blockchain, item }: { blockchain: Blockchain; item: Decoded['items'][number] }) {
  const { name, encoding, type, size, missing, delegate } = item
  const hasContent = encoding === 'inscription' || encoding === 'doginal' || encoding === 'stamp'
  const facts = [
    `${decodeTexts.kinds[encoding]}, ${sizeText(size)}`,
    ...(hasContent ? [type ?? decodeTexts.unknownType] : []),
    ...(missing > 0 ? [decodeTexts.missing(missing)] : []),
    ...(delegate === null ? [] : [decodeTexts.delegate(delegate)]),
  ]
  return (
    <li>
      {facts.join(' · ')}
      {hasContent && missing === 0 && (
        <>
          {' '}
          <a href={`/v0/web/${blockchain}/${name}`} target="_blank" rel="noopener noreferrer">
            {decodeTexts.open}
          </a>
        </>
      )}
    </li>
  )
}
