import { useState } from 'preact/hooks'
import { isSiteAddress } from '../../../protocol/site-address.ts'
import { api, type Schemas } from '../../api/client.ts'
import { AddressField } from '../../parts/address-field.tsx'
import { ActDialog } from '../../parts/dialog.tsx'
import { Section } from '../../parts/page.tsx'
import { texts } from '../../texts/index.ts'
import { siteTexts } from '../../texts/sites.ts'

/** The readable address of a site: set, changed and ended. One can be set once a version is paid for. */
export function SiteAddress({ site, onChanged }: { site: Schemas['Site']; onChanged(site: Schemas['Site']): void }) {
  const [asking, setAsking] = useState<'set' | 'end'>()
  const [address, setAddress] = useState('')
  const { address: present, addressUrl, host } = site
  const params = { path: { id: site.id } }
  const below = host.slice(host.indexOf('.'))
  const ask = () => {
    setAddress(present ?? '')
    setAsking('set')
  }
  return (
    <Section
      title={siteTexts.address.title}
      aside={
        <span class="row tight">
          <button type="button" class="btn" onClick={ask}>
            {present ? siteTexts.address.change : siteTexts.address.set}
          </button>
          {present && (
            <button type="button" class="btn plain" onClick={() => setAsking('end')}>
              {siteTexts.address.end}
            </button>
          )}
        </span>
      }
    >
      {addressUrl ? (
        <p class="after">
          <a href={addressUrl} target="_blank" rel="noreferrer">
            {new URL(addressUrl).host}
          </a>{' '}
          <span class="quiet">{siteTexts.address.beside(host)}</span>
        </p>
      ) : (
        <p class="quiet after">{siteTexts.address.none(host)}</p>
      )}
      {asking === 'set' && (
        <ActDialog
          title={present ? siteTexts.address.change : siteTexts.address.set}
          act={siteTexts.address.setDo}
          disabled={!isSiteAddress(address) || address === present}
          onClose={() => setAsking(undefined)}
          onAct={async () => onChanged(await api.PUT('/v0/site/{id}/address', { params, body: { address } }))}
        >
          <AddressField
            label={texts.addresses.label}
            help={isSiteAddress(address) ? `${address}${below}` : texts.addresses.form}
            value={address}
            onValue={setAddress}
          />
          <p class="quiet small">{present ? siteTexts.address.moves(present) : siteTexts.address.stays}</p>
        </ActDialog>
      )}
      {asking === 'end' && present && (
        <ActDialog
          title={siteTexts.address.endTitle(present)}
          act={siteTexts.address.end}
          danger
          onClose={() => setAsking(undefined)}
          onAct={async () => {
            await api.DELETE('/v0/site/{id}/address', { params })
            onChanged({ ...site, address: null, addressUrl: null })
          }}
        >
          <p>{siteTexts.address.endText(host)}</p>
        </ActDialog>
      )}
    </Section>
  )
}
