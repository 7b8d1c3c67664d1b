import type { HelpEntry } from '../help-entry.ts'

/** The help for people, in German. */
export const help: readonly HelpEntry[] = [
  {
    question: 'Was ist eine Blockchain, und was heißt es, eine Datei darauf zu speichern?',
    answer: [
      'Eine Blockchain ist ein öffentliches Verzeichnis, das Tausende von Rechnern vollständig aufbewahren: Bitcoin, Dogecoin und Nativecoin sind solche Verzeichnisse. Alle können es lesen, ständig kommen neue Seiten dazu, und keine Seite wird je geändert.',
      'Eine Datei, die auf einer Blockchain gespeichert ist, ist in dieses Verzeichnis geschrieben, in einer oder mehreren Transaktionen. Sie bleibt, solange irgendjemand eine volle Kopie der Blockchain aufbewahrt.',
    ],
  },
  {
    question: 'Was sind NTC, BTC und DOGE, und wo bekomme ich sie?',
    answer: [
      'Das sind die Coins der drei Blockchains: NTC von Nativecoin, BTC von Bitcoin, DOGE von Dogecoin. In eine Blockchain zu schreiben kostet eine Gebühr in ihren eigenen Coins, darum zahlen Sie in diesen.',
      'Sie brauchen eine Wallet: ein Programm, das Coins aufbewahrt und sendet. BTC und DOGE bekommen Sie an einer Börse, die sie für gewöhnliches Geld verkauft; von dort senden Sie sie an Ihre Wallet. Wo es NTC gibt, kann Ihnen der Betreiber dieses Dienstes sagen: siehe „Kontakt“ am Fuß der Seite.',
    ],
  },
  {
    question: 'Warum zahle ich auf Nativecoin für etwas auf IPFS?',
    answer: [
      'IPFS ist keine Blockchain und hat keine eigenen Coins. Der Betreiber hat gewählt, in welchen bezahlt wird; der Preis ist für das Aufbewahren und Ausliefern der Datei, und in diese Blockchain wird nichts davon geschrieben.',
    ],
  },
  {
    question: 'Was heißt „tief“?',
    answer: [
      'Transaktionen werden in Blöcke geschrieben, einen nach dem anderen. Eine Transaktion im neuesten Block ist einen Block tief, und mit jedem Block, der folgt, einen mehr. Je tiefer sie ist, desto unwahrscheinlicher ist es, dass die Blockchain sie ersetzt.',
      'Eine Zahlung zählt, und eine Datei heißt gespeichert, sobald sie so viele Blöcke tief ist, wie dieser Dienst verlangt. Die Seite zeigt, wie viele noch fehlen. Sie können sie so lange schließen.',
    ],
  },
  {
    question: 'Was bewahrt IPFS auf, und wie lange?',
    answer: [
      'Auf IPFS hat eine Datei einen Namen, der aus ihren Bytes gebildet ist, und wer eine Kopie hat, kann sie unter diesem Namen ausliefern. Sie ist da, solange dieser Dienst oder jemand anderes eine Kopie aufbewahrt. Sie ist nicht für immer geschrieben wie eine Datei auf einer Blockchain.',
    ],
  },
  {
    question: 'Was kann nie wieder entfernt werden?',
    answer: [
      'Was in eine Blockchain geschrieben ist. Weder Sie noch wir noch sonst jemand kann es entfernen. Speichern Sie dort nichts, was eines Tages verschwinden soll: keine Namen, Anschriften oder Bilder von Menschen, die nicht zugestimmt haben.',
      'Dateien auf IPFS, die jemand kopiert hat, bleiben dort, wo diese Kopie ist. Was hochgeladen und nicht bezahlt ist, kann jederzeit gelöscht werden.',
    ],
  },
  {
    question: 'Wer kann sehen, was ich speichere?',
    answer: [
      'Alle. Alles, was hier gespeichert wird, ist öffentlich, ob Sie seine Adresse jemandem nennen oder nicht. Wenn eine Datei nur für bestimmte Menschen ist, verschlüsseln Sie sie vorher mit einem eigenen Programm.',
    ],
  },
  {
    question: 'Was kostet es, und warum ändert sich der Preis?',
    answer: [
      'Der größte Teil eines Preises ist die Gebühr der Blockchain. Sie hängt davon ab, wie viele Bytes geschrieben werden und wie viele andere zur selben Zeit schreiben wollen. Dazu kommt ein Teil für das Aufbewahren und Ausliefern der Datei.',
      'Wählen Sie Ihre Dateien auf der Seite „Speichern“ aus: Sie sagt, was sie jetzt kosten würden, und hochgeladen wird nichts. Der genaue Preis steht für eine Weile fest, sobald der Upload vorbereitet ist. Sie sehen ihn, bevor Sie zahlen.',
    ],
  },
  {
    question: 'Ich habe zu wenig, zu viel oder zu spät gesendet. Ist das Geld verloren?',
    answer: [
      'Nein. Zu wenig: Senden Sie den Rest an dieselbe Adresse. Zu viel, oder nachdem der Preis abgelaufen war: Das Geld kommt zu Ihrem Guthaben, und Sie können damit etwas anderes speichern oder es auszahlen.',
      'Coins einer anderen Blockchain, als die Seite nennt, kommen nicht an, und wir können sie nicht zurückholen. Vergleichen Sie den Namen der Blockchain, bevor Sie senden.',
    ],
  },
  {
    question: 'Kann ich mein Geld zurückbekommen?',
    answer: [
      'Ihr Guthaben gehört Ihnen: Die Seite „Geld“ sendet es an eine Adresse von Ihnen, abzüglich der Gebühr der Blockchain. Was für eine geschriebene Datei bezahlt wurde, kann nicht zurückgegeben werden, weil ihre Gebühr ausgegeben ist. Kann eine bezahlte Datei nicht geschrieben werden, kommt ihr Preis zu Ihrem Guthaben.',
    ],
  },
  {
    question: 'Ich habe mein Passwort verloren.',
    answer: [
      'Drücken Sie bei der Anmeldung auf „neues Passwort wählen“, und geben Sie Ihre E-Mail-Adresse ein. Wir schicken Ihnen einen Link zu einer Seite, auf der Sie ein neues wählen. Er beendet alle anderen Sitzungen. Ein Passkey meldet Sie ohne Passwort an.',
    ],
  },
  {
    question: 'Was heißt „In diesem Browser geprüft“?',
    answer: [
      'Jeder Name auf einer Blockchain oder auf IPFS wird aus den Bytes berechnet, die er benennt. Ihr Browser berechnet ihn noch einmal aus den Bytes, die er empfangen hat, und zeigt sie nur, wenn es derselbe Name ist. So muss er diesem Dienst nicht vertrauen.',
    ],
  },
  {
    question: 'Wie beweise ich jemandem, dass eine Datei von mir ist oder an einem Tag da war?',
    answer: [
      'Geben Sie ihm die Datei und ihre Namen: Die txids ihrer Transaktionen stehen auf der Seite der Datei unter „Einzelheiten“. Jeder kann sie in jeder Kopie der Blockchain nachschlagen, sehen, in welchem Block sie sind und von wann er ist, und die Bytes vergleichen. Der Befehl „hookline verify“ tut das und braucht kein Konto.',
      'Das zeigt, dass es die Datei damals gab. Es zeigt nicht, von wem sie ist.',
    ],
  },
  {
    question: 'Was sind Objekt-ID, Content-ID und Index?',
    answer: [
      'Die Objekt-ID ist unser Name der Datei, in ihren Adressen hier. Die Content-ID (CID) ist ihr Name auf IPFS. Der Index ist eine Transaktion auf einer Blockchain, die alle Transaktionen einer Datei nennt: Wer ihn kennt, braucht keinen anderen Namen.',
    ],
  },
  {
    question: 'Der Link einer Datei zeigt sie falsch, oder er lädt sie nur herunter.',
    answer: [
      'Wahrscheinlich ist ihr Typ falsch. Öffnen Sie die Datei in der Bibliothek: Unter „Einzelheiten“ können Sie ihren Typ ändern, und nichts wird noch einmal gespeichert.',
    ],
  },
  {
    question: 'Wie veröffentliche ich eine Website und eine neue Version davon?',
    answer: [
      'Legen Sie ihren Ordner auf der Seite „Speichern“ ab. Mit einer index.html ganz oben wird er eine Website, die als neue Site oder als neue Version einer Ihrer Sites veröffentlicht wird: Wählen Sie das unter „Veröffentlichen“. Eine Site hat eine Adresse, die bleibt.',
      'Die Site zeigt sie, sobald sie gespeichert ist. Setzen Sie das Häkchen bei „Erst ausprobieren“, um eine neue Version anzusehen, bevor Besucher sie sehen. Jede frühere Version bleibt, und ein Knopfdruck geht zu ihr zurück.',
    ],
  },
  {
    question: 'Wie bekommt meine Website eine lesbare Adresse oder meine eigene Domain?',
    answer: [
      'Eine lesbare Adresse braucht keine Domain: Öffnen Sie die Site, drücken Sie auf „Adresse festlegen“, und geben Sie einen Namen ein. Eine Version der Site muss vorher bezahlt sein. Die Adresse bleibt Ihre, auch nach einer Änderung.',
      'Für eine Domain öffnen Sie die Site, drücken Sie auf „Domain hinzufügen“, und geben Sie ihren Namen ein. Die Seite sagt, welcher Eintrag dort anzulegen ist, wo die Domain verwaltet wird, und prüft ihn jede Minute, bis er richtig ist.',
      'Die oberste Ebene einer Domain, zum Beispiel example.com ohne www, erlaubt keinen CNAME. Nehmen Sie dort ALIAS oder „CNAME flattening“, wenn Ihr Anbieter das hat, sonst den TXT-Eintrag.',
    ],
  },
  {
    question: 'Was können _headers, _redirects und 404.html?',
    answer: [
      'Diese Dateien ganz oben in einer Website liest dieser Dienst. 404.html wird für das gezeigt, was es nicht gibt. _redirects hat Zeilen der Form „/alt /neu 301“; „/* /index.html 200“ schickt jeden Pfad auf eine Seite, wie es Anwendungen aus einer Seite brauchen. _headers setzt Kopfzeilen wie Content-Security-Policy oder Cache-Control für Pfade.',
      'Die Seite einer gespeicherten Website nennt jede falsche Zeile und den Grund.',
    ],
  },
  {
    question: 'Mein Upload wurde unterbrochen.',
    answer: [
      'Öffnen Sie die Seite „Speichern“: Ihr Auftrag ist in der Liste und geht dort weiter, wo er war. Wenn der Browser die Datei nicht von selbst lesen kann, wählen Sie dieselbe Datei noch einmal; was schon hochgeladen ist, wird nicht zweimal gesendet.',
    ],
  },
]
