import { api, type Schemas } from '../../api/client.ts'
import { kindOf } from '../../core/media-type-of.ts'
import { sizeText } from '../../core/size-text.ts'
import { atCursor, useList } from '../../hooks/use-list.ts'
import { Icon } from '../../parts/icon.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { Section } from '../../parts/page.tsx'
import { Reading } from '../../parts/reading.tsx'
import { texts } from '../../texts/index.ts'

/** The files of a website, each with a link to its own page. */
export function WebsiteFiles({ item }: { item: Schemas['Item'] }) {
  const read = (cursor?: string) =>
    api.GET('/v0/item', {
      params: { query: { directory: item.id, sort: 'created', ...atCursor(cursor) } },
    })
  const files = useList(read, 'items', 'id', [item.id])
  return (
    <Section title={texts.lists.files}>
      <Reading of={files} what={texts.lists.files} rows={3} />
      {files.rows.length > 0 && (
        <table class="table">
          <tbody>
            {files.rows.map((file) => (
              <tr key={file.id}>
                <td class="grow">
                  <a class="name" href={`/console/item/${file.id}`}>
                    <Icon name={kindOf(file.mimetype)} />
                    <span>{pathOf(file, item)}</span>
                  </a>
                </td>
                <td class="num push">{sizeText(file.size)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <MoreButton more={files.more} />
    </Section>
  )
}

/** The path of a file below its website. */
function pathOf(file: Schemas['Item'], website: Schemas['Item']): string {
  const root = [website.path, website.name].filter(Boolean).join('/')
  const path = [file.path, file.name].filter(Boolean).join('/')
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path
}
