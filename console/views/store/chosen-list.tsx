import { useEffect, useState } from 'preact/hooks'
import type { StorageTarget } from '../../../protocol/chains.ts'
import {
  addFiles,
  type ChosenFile,
  findIndex,
  keepOnly,
  leftOutByDefault,
  topEntries,
  withoutPath,
} from '../../core/chosen-files.ts'
import { kindOf } from '../../core/media-type-of.ts'
import { typeInWords } from '../../core/type-in-words.ts'
import { Icon } from '../../parts/icon.tsx'
import { Notice } from '../../parts/notice.tsx'
import { texts } from '../../texts/index.ts'
import type { FileSource } from '../../upload/read-dropped.ts'

type Chosen = ChosenFile<FileSource>

/** Skipped paths that are shown; the others are counted. */
const MAX_SHOWN = 20

/** Larger pictures (bytes) take too long to be decoded for a thumbnail. */
const MAX_PICTURE_BYTES = 20_000_000

/** The chosen files and folders at the top level, and the skipped paths with a checkbox that includes them. */
export function ChosenList(props: {
  files: Chosen[]
  leftOut: Chosen[]
  target: StorageTarget
  onFiles(files: Chosen[]): void
  onLeftOut(files: Chosen[]): void
  onDrop(transfer: DataTransfer): void
}) {
  const { files, leftOut } = props
  const entries = topEntries(files)
  const fileOf = new Map(files.map(({ path, source }) => [path, source.file]))
  return (
    <section
      aria-label={texts.store.drop}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        if (event.dataTransfer) props.onDrop(event.dataTransfer)
      }}
    >
      <table class="table acts">
        <tbody>
          {entries.slice(0, 200).map(({ name, folder, files: count, folders, bytes, mimetype }) => (
            <tr key={name}>
              <td class="grow">
                <span class="name">
                  {folder ? <Icon name="folder" /> : <ChosenPicture file={fileOf.get(name)} mimetype={mimetype} />}
                  {name}
                </span>
              </td>
              <td class="quiet">{folder ? texts.store.folderHolds(count, folders) : typeInWords(mimetype)}</td>
              <td class="num">{texts.store.exactly(bytes)}</td>
              <td class="num act">
                <button
                  type="button"
                  class="btn icon plain"
                  aria-label={texts.store.leaveOut(name)}
                  onClick={() => {
                    props.onFiles(withoutPath(files, name))
                    props.onLeftOut(withoutPath(leftOut, name))
                  }}
                >
                  <Icon name="cross" />
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {props.target === 'IPFS' &&
        entries
          .filter(({ folder }) => folder)
          .map(({ name }) => <IndexHint key={name} root={name} files={files} onFiles={props.onFiles} />)}
      {leftOut.length > 0 && (
        <LeftOut
          files={leftOut}
          onTake={(taken) => {
            props.onFiles(addFiles(files, taken))
            props.onLeftOut(leftOut.filter((file) => !taken.includes(file)))
          }}
        />
      )}
    </section>
  )
}

function IndexHint({ root, files, onFiles }: { root: string; files: Chosen[]; onFiles(files: Chosen[]): void }) {
  const { index, instead } = findIndex(files, root)
  if (index) return null
  return (
    <div class="after">
      <Notice kind="warn">
        <p>{texts.store.noIndex(root)}</p>
        {instead !== undefined && (
          <p class="after-small">
            <button type="button" class="btn" onClick={() => onFiles(keepOnly(files, root, instead))}>
              {texts.store.useFolder(instead)}
            </button>
          </p>
        )}
      </Notice>
    </div>
  )
}

/** A thumbnail of a chosen picture, from the file itself; an icon for other files and for what the browser cannot show. */
function ChosenPicture({ file, mimetype }: { file: File | undefined; mimetype: string }) {
  const [url, setUrl] = useState<string>()
  const picture =
    kindOf(mimetype) === 'picture' && file !== undefined && file.size <= MAX_PICTURE_BYTES ? file : undefined
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

function LeftOut({ files, onTake }: { files: Chosen[]; onTake(files: Chosen[]): void }) {
  return (
    <details class="left-out">
      <summary>{texts.store.leftOut(files.length)}</summary>
      <p class="quiet small">{texts.store.leftOutWhy}</p>
      <ul class="small">
        {files.slice(0, MAX_SHOWN).map((file) => (
          <li key={file.path} class="row between">
            <span>
              {file.path} <span class="quiet">{texts.store.reasons[leftOutByDefault(file) ?? 'hidden']}</span>
            </span>
            <button
              type="button"
              class="btn plain"
              aria-label={texts.store.takeIn(file.path)}
              onClick={() => onTake([file])}
            >
              <Icon name="plus" />
            </button>
          </li>
        ))}
      </ul>
      {files.length > MAX_SHOWN && <p class="quiet small">{texts.store.moreRefused(files.length - MAX_SHOWN)}</p>}
      <button type="button" class="btn" onClick={() => onTake(files)}>
        {texts.store.takeThemIn}
      </button>
    </details>
  )
}
