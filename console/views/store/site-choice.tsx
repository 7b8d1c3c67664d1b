import { useId, useState } from 'preact/hooks'
import { api } from '../../api/client.ts'
import type { SiteOfOrder } from '../../core/order.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { Field } from '../../parts/field.tsx'
import { texts } from '../../texts/index.ts'

/** The value of the choice for a new site; ids of sites are hexadecimal. */
const NEW = 'new'

/** Asks what a website is stored for: a new site, a new version of one that exists, or none. */
export function SiteChoice(props: {
  folder: string
  site: SiteOfOrder | undefined
  onSite(site: SiteOfOrder | undefined): void
}) {
  const { folder, site, onSite } = props
  const sites = useLoad(() => api.GET('/v0/site', { params: { query: {} } }), [])
  const id = useId()
  const [name, setName] = useState(site?.name ?? folder)
  const known = sites.data?.sites ?? []
  const listed =
    site?.id === undefined || known.some(({ id }) => id === site.id) ? known : [...known, { ...site, id: site.id }]
  const choose = (value: string) => {
    if (value === NEW) return onSite({ id: undefined, name })
    const found = listed.find(({ id }) => id === value)
    onSite(found && { id: found.id, name: found.name })
  }
  return (
    <div class="stack after">
      <div class="field">
        <label for={id}>{texts.sites.choose}</label>
        <select id={id} class="input" onChange={(event) => choose(event.currentTarget.value)}>
          <option value="" selected={site === undefined}>
            {texts.sites.chooseNone}
          </option>
          <option value={NEW} selected={site !== undefined && site.id === undefined}>
            {texts.sites.chooseNew}
          </option>
          {listed.map((each) => (
            <option key={each.id} value={each.id} selected={site?.id === each.id}>
              {texts.sites.chooseVersion(each.name)}
            </option>
          ))}
        </select>
      </div>
      {site && <p class="quiet small">{texts.sites.chooseMeans}</p>}
      {site && site.id === undefined && (
        <Field
          label={texts.sites.name}
          value={name}
          onValue={(text) => {
            setName(text)
            onSite({ id: undefined, name: text.trim() === '' ? folder : text.trim() })
          }}
        />
      )}
    </div>
  )
}
