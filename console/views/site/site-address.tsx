import { useState } from 'preact/hooks'
import { isSiteAddress } from '../../../protocol/site-address.ts'
import { api, type Schemas } from '../../api/client.ts'
import { AddressField } from '../../parts/address-field.tsx'
import { ActDialog } from '../../parts/dialog.tsx'
import { Section } from '../../parts/page.tsx'
import { texts } from '../../texts/index.ts'

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
      title={texts.addresses.title}
      aside={
        <span class="row tight">
          <button type="button" class="btn" onClick={ask}>
            {present ? texts.addresses.change : texts.addresses.set}
          </button>
          {present && (
            <button type="button" class="btn plain" onClick={() => setAsking('end')}>
              {texts.addresses.end}
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
          <span class="quiet">{texts.addresses.beside(host)}</span>
        </p>
      ) : (
        <p class="quiet after">{texts.addresses.none(host)}</p>
      )}
      {asking === 'set' && (
        <ActDialog
          title={present ? texts.addresses.change : texts.addresses.set}
          act={texts.addresses.setDo}
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
          <p class="quiet small">{present ? texts.addresses.moves(present) : texts.addresses.stays}</p>
        </ActDialog>
      )}
      {asking === 'end' && present && (
        <ActDialog
          title={texts.addresses.endTitle(present)}
          act={texts.addresses.end}
          danger
          onClose={() => setAsking(undefined)}
          onAct={async () => {
            await api.DELETE('/v0/site/{id}/address', { params })
            onChanged({ ...site, address: null, addressUrl: null })
          }}
        >
          <p>{texts.addresses.endText(host)}</p>
        </ActDialog>
      )}
    </Section>
  )
}
