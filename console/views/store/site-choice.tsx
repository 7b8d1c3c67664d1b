import { useEffect, useId, useState } from 'preact/hooks'
import { api } from '../../api/client.ts'
import type { SiteOfOrder } from '../../core/order.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { AddressField } from '../../parts/address-field.tsx'
import { Check, Field } from '../../parts/field.tsx'
import { texts } from '../../texts/index.ts'

/** The values of the choices that are no site; ids of sites are hexadecimal. */
const NEW = 'new'
const NONE = 'none'

/**
 * Asks what a website is stored for: a new site, a new version of one that exists, or none. Proposes the site that has the
 * name of the folder, or a new one of that name.
 */
export function SiteChoice(props: {
  folder: string
  site: SiteOfOrder | undefined
  onlyStore: boolean
  onSite(site: SiteOfOrder | undefined): void
}) {
  const { folder, site, onlyStore, onSite } = props
  const sites = useLoad(() => api.GET('/v0/site', { params: { query: {} } }), [])
  const id = useId()
  const [name, setName] = useState(site?.id === undefined ? (site?.name ?? folder) : folder)
  const known = sites.data?.sites ?? []
  const listed =
    site?.id === undefined || known.some(({ id }) => id === site.id) ? known : [...known, { ...site, id: site.id }]
  const undecided = site === undefined && !onlyStore
  useEffect(() => {
    if (!undecided || (!sites.data && !sites.error)) return
    const [same, ...others] = known.filter((each) => each.name === folder)
    onSite(same && others.length === 0 ? { id: same.id, name: same.name } : { id: undefined, name })
  }, [undecided, sites.data, sites.error])
  const named = known.find(({ id }) => id === site?.id)?.address ?? null
  const choose = (value: string) => {
    if (value === NEW) return onSite({ id: undefined, name })
    const found = listed.find(({ id }) => id === value)
    onSite(found && { id: found.id, name: found.name })
  }
  return (
    <div class="stack after">
      <div class="field">
        <label for={id}>{texts.site.choose}</label>
        <select id={id} class="input" onChange={(event) => choose(event.currentTarget.value)}>
          <option value={NEW} selected={!onlyStore && site?.id === undefined}>
            {texts.site.chooseNew}
          </option>
          {listed.map((each) => (
            <option key={each.id} value={each.id} selected={site?.id === each.id}>
              {texts.site.chooseVersion(each.name)}
            </option>
          ))}
          <option value={NONE} selected={onlyStore}>
            {texts.site.chooseNone}
          </option>
        </select>
      </div>
      {site && <p class="quiet small">{site.tryFirst ? texts.site.tryMeans : texts.site.chooseMeans}</p>}
      {site?.id !== undefined && (
        <Check checked={site.tryFirst === true} onChange={(tryFirst) => onSite({ ...site, tryFirst })}>
          {texts.site.tryFirst}
        </Check>
      )}
      {site && site.id === undefined && (
        <Field
          label={texts.site.name}
          value={name}
          onValue={(text) => {
            setName(text)
            onSite({ ...site, id: undefined, name: text.trim() === '' ? folder : text.trim() })
          }}
        />
      )}
      {site && named === null && (
        <AddressField
          label={texts.addresses.optional}
          help={texts.addresses.oncePaid}
          value={site.address ?? ''}
          onValue={(address) => onSite({ ...site, address: address === '' ? undefined : address })}
        />
      )}
    </div>
  )
}
