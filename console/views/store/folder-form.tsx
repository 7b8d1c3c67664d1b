import { Segments } from '../../parts/field.tsx'
import { texts } from '../../texts/index.ts'

/** The choice whether each folder is stored on a chain as one website, or file by file. */
export function FolderForm({ website, onWebsite }: { website: boolean; onWebsite(website: boolean): void }) {
  return (
    <div class="stack after">
      <p class="row">
        <span>{texts.store.folderForm}</span>
        <Segments
          label={texts.store.folderForm}
          value={website ? 'website' : 'files'}
          options={[
            { value: 'website', label: texts.store.asWebsite },
            { value: 'files', label: texts.store.asFiles },
          ]}
          onValue={(value) => onWebsite(value === 'website')}
        />
      </p>
      <p class="quiet small">{website ? texts.store.asWebsiteMeans : texts.store.asFilesMeans}</p>
    </div>
  )
}
