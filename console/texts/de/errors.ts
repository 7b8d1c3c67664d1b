import type { ErrorCode } from '../../../contract/error-codes.ts'

/** What a person in the console can meet, in German, by the codes of `contract/error-codes.ts`. */
export const errors: Partial<Record<ErrorCode, string>> = {
  account_open: 'Das Konto ist nicht geschlossen, also kann nur sein Inhaber das Geld auszahlen.',
  already_merged: 'Dieser Upload ist abgeschlossen und nimmt keine Daten mehr an.',
  already_paid: 'Das ist schon bezahlt und kann deshalb nicht gelöscht werden.',
  bad_encoding:
    'Der Inhalt passt nicht zu seiner Kodierung und kann nicht entpackt werden. Laden Sie ihn noch einmal hoch.',
  balance_exceeded: 'Der Betrag ist höher als das Guthaben des Kontos. Wählen Sie einen kleineren.',
  balance_left: 'Das Konto hat noch Guthaben und wurde nicht geschlossen. Lassen Sie es sich zuerst auszahlen.',
  balance_too_low: 'Das Guthaben reicht nicht für die Auszahlung und ihre Gebühr. Wählen Sie einen kleineren Betrag.',
  body_too_large: 'Das ist größer, als der Dienst auf einmal annimmt.',
  busy: 'Zu viele Anfragen dieser Art warten schon. Versuchen Sie es in einigen Sekunden noch einmal.',
  chain_not_configured: 'Dieser Dienst arbeitet nicht mit dieser Blockchain.',
  chunk_lost: 'Ein Teil des Uploads ist verloren gegangen. Laden Sie die Datei noch einmal hoch.',
  chunks_missing: 'Ein Teil des Uploads fehlt noch. Setzen Sie den Upload fort.',
  closed: 'Das Passwort stimmt, aber das Konto ist geschlossen.',
  content_too_large: 'Der Inhalt ist größer, als der Dienst oder das gewählte Ziel erlaubt.',
  database_full:
    'Die Datenbank des Dienstes ist fast voll und nimmt nichts Neues an. Versuchen Sie es später noch einmal.',
  denied: 'Dieser Inhalt steht auf der Sperrliste und wird nicht gezeigt.',
  denylist_unavailable:
    'Die Sperrliste ist nicht lesbar, deshalb wird gerade kein Inhalt gezeigt. Versuchen Sie es gleich noch einmal.',
  deposit_not_lost:
    'Die Einzahlung kann noch bestätigt werden: Keine andere Transaktion mit demselben Geld liegt tief genug.',
  digest_mismatch: 'Ein Teil kam nicht unverändert an. Laden Sie die Datei noch einmal hoch.',
  dns_not_pointing:
    'Die DNS-Einträge der Domain führen noch nicht hierher. Ändern Sie sie, und versuchen Sie es dann noch einmal.',
  dns_unavailable: 'Das DNS hat keine brauchbare Antwort gegeben. Versuchen Sie es später noch einmal.',
  domain_taken: 'Ein anderes Konto hat diese Domain eingetragen.',
  domains_off: 'Dieser Dienst nimmt keine eigenen Domains an.',
  email_pending: 'Die E-Mail-Adresse ist noch nicht bestätigt. Öffnen Sie den Link in der Mail.',
  fee_too_high: 'Die Netzgebühr ist höher als Ihre Obergrenze. Erhöhen Sie diese, oder warten Sie.',
  file_taken: 'Eine Datei des Ordners ist schon bezahlt oder gehört zu einem anderen Ordner.',
  folder_changed: 'Der Ordner hat sich geändert, während er verarbeitet wurde. Versuchen Sie es noch einmal.',
  folder_empty: 'Der Ordner enthält keine Datei.',
  folder_loop: 'Ein Ordner kann nicht in sich selbst verschoben werden.',
  folder_merged: 'Der Ordner ist als Ganzes gespeichert. Darin kann nichts mehr hinzukommen oder geändert werden.',
  folder_not_empty: 'Der Ordner ist nicht leer oder als Ganzes gespeichert und kann deshalb nicht gelöscht werden.',
  generation_failed: 'Ihre Anmeldung gilt nicht mehr. Melden Sie sich noch einmal an.',
  host_refused: 'Diese Domain kann nicht eingetragen werden. Der Dienst sagt dazu auf Englisch:',
  hostnames_unavailable: 'Der Anbieter für eigene Domains antwortet nicht. Versuchen Sie es später noch einmal.',
  https_required: 'Diese Seite wurde ohne Verschlüsselung geöffnet. Öffnen Sie sie mit https://.',
  identity_not_due: 'Für dieses Konto ist keine Prüfung der Identität offen.',
  identity_pending: 'Ihre Identität ist noch nicht bestätigt. Der Betreiber prüft sie.',
  index_not_offered:
    'Dieses Ziel hat keine Indexe, oder der Index passt nicht in eine Transaktion. Speichern Sie ohne Index.',
  internal_error: 'Im Dienst ist ein Fehler aufgetreten. Versuchen Sie es später noch einmal.',
  invalid_field: 'Eine Angabe fehlt oder passt nicht. Der Dienst sagt dazu auf Englisch:',
  item_in_directory: 'Die Datei gehört zu einem Ordner, der als Ganzes bezahlt wird. Bezahlen Sie den Ordner.',
  item_not_payable: 'Das Objekt wartet nicht auf eine Zahlung.',
  item_not_stored: 'Das Objekt ist noch nicht gespeichert. Warten Sie, bis es so weit ist.',
  item_on_chain: 'Was auf einer Blockchain steht, kann nicht entfernt werden. Sie können das Objekt ausblenden.',
  item_reported: 'Zu diesem Objekt wartet eine Meldung auf eine Entscheidung. Versuchen Sie es danach noch einmal.',
  item_shown: 'Eine Site zeigt dieses Objekt. Lassen Sie sie eine andere Version zeigen, oder löschen Sie die Site.',
  item_too_large: 'Die Datei ist größer, als dieser Dienst erlaubt.',
  items_in_other_request:
    'Einige der Objekte gehören schon zu einer anderen offenen Zahlung. Bezahlen oder stornieren Sie diese zuerst.',
  key_reused:
    'Diese Anfrage wurde schon mit anderen Angaben gesendet. Laden Sie die Seite neu, und sehen Sie nach, was geschehen ist.',
  linked_file: 'Ein gespeichertes Objekt verweist auf diese Datei. Sie kann nur mit ihrem Ordner gespeichert werden.',
  link_invalid:
    'Der Link aus der Mail ist benutzt, abgelaufen oder nicht von diesem Dienst. Lassen Sie sich einen neuen senden.',
  login_again: 'Dafür müssen Sie sich vor Kurzem angemeldet haben. Melden Sie sich noch einmal an.',
  merging: 'Das Objekt wird gerade vorbereitet. Versuchen Sie es gleich noch einmal.',
  name_taken: 'In diesem Ordner hat schon etwas diesen Namen. Wählen Sie einen anderen.',
  names_collide: 'Zwei Einträge des Ordners haben denselben Namen. Benennen Sie einen davon um.',
  no_own_type:
    'Eine Website hat keinen eigenen Dateityp. Legen Sie die Typen ihrer Dateien in der Datei _headers fest.',
  node_bad_answer:
    'Kein Knoten der Blockchain hat eine überprüfbare Antwort gegeben. Versuchen Sie es später noch einmal.',
  node_not_indexed:
    'Kein Knoten der Blockchain kann gerade jede Transaktion finden. Versuchen Sie es später noch einmal.',
  node_policy: 'Der Knoten der Blockchain erlaubt weniger Daten in einer Transaktion, als der Dienst schreiben soll.',
  node_timeout: 'Kein Knoten der Blockchain hat rechtzeitig geantwortet. Versuchen Sie es später noch einmal.',
  node_unreachable: 'Kein Knoten der Blockchain ist erreichbar. Versuchen Sie es später noch einmal.',
  not_configured: 'Der Betreiber hat diesen Teil des Dienstes nicht eingerichtet.',
  not_merged: 'Das Objekt ist noch nicht vorbereitet. Schließen Sie zuerst seinen Upload ab.',
  not_stopped: 'Dieses Objekt ist nicht angehalten. Es gibt nichts zu wiederholen.',
  nothing_to_accept: 'Der Knoten folgt der bekannten Blockchain. Es gibt keine andere anzunehmen.',
  nothing_to_gather: 'In der Wallet sind keine zwei freien Beträge, deren Zusammenlegen sich lohnt.',
  part_of_directory:
    'Die Datei gehört zu einem Ordner, der als Ganzes gespeichert ist. Sie kann nicht einzeln geändert werden.',
  passkey_invalid:
    'Dieser Passkey ist hier nicht bekannt, oder seine Antwort kam zu spät. Versuchen Sie es noch einmal.',
  passkey_refused:
    'Dieser Passkey ist schon hinzugefügt, oder seine Antwort kam zu spät. Versuchen Sie es noch einmal.',
  passkeys_off:
    'Unter der Adresse dieser Seite erlauben Browser keine Passkeys. Öffnen Sie die Seite unter einem Hostnamen.',
  payment_seen: 'Eine Zahlung wurde schon gesehen, deshalb kann das nicht mehr storniert oder gelöscht werden.',
  payment_unavailable: 'Mit dieser Blockchain kann gerade nicht gezahlt werden. Versuchen Sie es später noch einmal.',
  payouts_stopped: 'Auszahlungen auf dieser Blockchain sind angehalten, bis der Betreiber sie wieder freigibt.',
  permission_missing: 'Ihrem Konto fehlt die Berechtigung dafür.',
  proof_needed: 'Zu viele Anmeldungen sind fehlgeschlagen. Versuchen Sie es noch einmal.',
  quota_exceeded: 'Ihr Konto hat eine Obergrenze erreicht. Der Dienst sagt dazu auf Englisch:',
  refresh_token_invalid: 'Ihre Anmeldung ist abgelaufen oder wurde beendet. Melden Sie sich noch einmal an.',
  reports_full: 'Zu viele Meldungen warten auf eine Entscheidung. Versuchen Sie es später noch einmal.',
  request_changing:
    'Eine andere Anfrage hat dieselben Daten geändert. Laden Sie die Seite neu, und versuchen Sie es noch einmal.',
  request_not_open: 'Diese Zahlung ist schon abgeschlossen oder storniert.',
  request_running: 'Dieselbe Anfrage wird noch bearbeitet. Versuchen Sie es gleich noch einmal.',
  resolver_unavailable: 'Die Abfrage im DNS ist fehlgeschlagen. Versuchen Sie es in einer Minute noch einmal.',
  revocation_failed: 'Diese Anmeldung gilt nicht mehr, deshalb wurde nichts beendet.',
  send_assigned: 'Das Geld, das die Wallet mit dieser Transaktion verlassen hat, ist schon zugeordnet.',
  sends_unassigned:
    'Geld hat die Wallet verlassen und gehört noch zu keinem Konto. Ordnen Sie es zuerst zu; so lange ruhen die Auszahlungen.',
  site_fails:
    'Mit dieser Version würde die Site eine Fehlerseite zeigen. Berichtigen Sie die genannten Dateien, oder bestätigen Sie es.',
  storage_full: 'Der Speicher dieses Dienstes ist voll. Versuchen Sie es später noch einmal.',
  storage_unavailable: 'Der Speicher dieses Dienstes antwortet nicht. Versuchen Sie es später noch einmal.',
  taken_down: 'Der Inhaber dieses Objekts hat es entfernt.',
  target_differs: 'Der Ordner ist für ein anderes Speicherziel.',
  token_invalid: 'Ihre Anmeldung ist abgelaufen oder wurde beendet. Melden Sie sich noch einmal an.',
  token_missing: 'Sie sind nicht angemeldet.',
  too_many_files: 'Das sind mehr Dateien, als ein Ordner oder eine Anfrage enthalten darf.',
  too_many_requests: 'Es wurden zu viele Anfragen gesendet. Warten Sie etwas, und versuchen Sie es dann noch einmal.',
  too_many_sessions: 'Das Konto ist auf zu vielen Geräten angemeldet. Beenden Sie zuerst eine der Anmeldungen.',
  too_many_streams: 'Die Konsole ist in zu vielen Tabs geöffnet. Schließen Sie einen davon.',
  too_many_transactions:
    'Der Inhalt bräuchte mehr Transaktionen, als ein Objekt haben darf. Wählen Sie ein anderes Ziel.',
  unhealthy: 'Ein Teil dieses Dienstes arbeitet nicht.',
  upload_busy:
    'Dieser Upload läuft gerade schon, vielleicht in einem anderen Tab. Versuchen Sie es gleich noch einmal.',
  upload_stalled: 'Der Upload ist stehen geblieben oder war zu langsam. Setzen Sie ihn fort.',
  upload_too_long: 'Es kamen mehr Bytes an, als angekündigt waren. Laden Sie die Datei noch einmal hoch.',
  wallet_exceeded:
    'Die Guthaben aller Konten wären höher als das Geld in der Wallet. Wählen Sie einen kleineren Betrag.',
  webhook_off: 'Dieser Webhook ist pausiert oder abgeschaltet. Lassen Sie ihn zuerst weitermachen.',
  withdrawal_ended: 'Diese Auszahlung ist beendet, oder der Betreiber beendet sie gerade.',
  withdrawal_not_held: 'Diese Auszahlung ist nicht zurückgehalten.',
  withdrawal_signed: 'Für diese Auszahlung ist schon eine Transaktion signiert, die noch in einen Block kommen kann.',
  wrong_credentials: 'Die E-Mail-Adresse oder das Passwort stimmt nicht.',
  wrong_network: 'Der Knoten gehört zu einem anderen Netzwerk als die gebuchten Guthaben.',
  wrong_offset: 'Der Upload geht an einer anderen Stelle weiter. Setzen Sie ihn noch einmal fort.',
  wrong_origin: 'Diese Anfrage darf nur von den Seiten der Konsole kommen. Laden Sie die Seite neu.',
  wrong_password: 'Das ist nicht das Passwort dieses Kontos.',
}
