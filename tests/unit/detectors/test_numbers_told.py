"""A number that a text gives to an account or a document is found, though not right beside it."""

import re
from collections.abc import Callable

import pytest

Values = Callable[[str, str], list[str]]

# Sentences with each number in angle brackets, under the type of all of them.
TOLD = {
    "BANK_ACCOUNT": """
        Konto <44000000>
        Account: <44000000>
        I have a Chase account, number <000123456789>, routing <021000021>.
        I have a Chase account, number <847201559>.
        My Chase account number is <847201559>.
        My Chase account (number <4471820093>) is overdrawn.
        I opened a Chase account, no. <4471820093>, in May.
        She has an account with Chase, number <4471820093>, since 2019.
        My account with Chase is <4471820093>.
        Account number: <4471820093> (Bank of America)
        bank account, number: <4471820093>
        My PayPal account number is <4471820093>
        my acct at wells fargo is <4471820093>
        I have a Chase account. Its number is <4471820093>.
        I opened a savings account last May; the account number is <847201559>.
        Our joint account at Norvane Bank (<12345678>, sort code <20-41-18>) is closed.
        Account at Chase: <4471820093>
        Mum's account with Norvane Bank, sort code <20-41-18>, account number <87654321>
        Account holder Tilda Arbeit, account no <4471820093>
        my checking account (the Chase one) has the number <4471820093>
        My account numbers are <4471820093> and <4471820101>.
        My accounts are <4471820093>, <4471820101> and <4471820119>.
        The routing number of my bank is <021000021>.
        The sort code at Norvane Bank is <20-41-18>.
        <4471820093> is my account number.
        <4471820093> (savings account)
        <4471820093> is the number of my Chase account.
        <847201559> – my account at Chase
        <021000021> is the routing number, <4471820093> the account number.
        {"account_number": "<4471820093>", "bank": "Chase"}
        | bank: Norvane | account | <4471820093>
        my account number is <12-345-6789>
        My account number is <71820>.
        The account ends in <4471>.
        My savings account at Chase ends in <4471>.
        Chase account ending in <4471>
        the account with Chase, last four digits <4471>
        The last four digits of my account are <4471>.
        Acct ****<4471> was charged.
        mein Konto bei der Sparkasse hat die Nummer <4471820093>
        Mein Girokonto bei der Norvane Bank: <4471820093>, BLZ <37050198>, BIC NORVDEFFXXX
        Das Konto mit der Nummer <4471820093> gehört meiner Mutter.
        Kto.-Nr. <4471820093>
        Die BLZ der Norvane Bank ist <37050198>.
        <4471820093> ist meine Kontonummer.
        <4471820093> ist die Nummer meines Kontos.
        Mein Konto endet auf <4471>.
        le compte chez Norvane porte le numéro <4471820093>
        mon compte courant, n° <4471820093>, est à découvert
        mon numéro de compte chez Norvane est <4471820093>
        <4471820093> est mon numéro de compte
        mi cuenta en el banco Norvane tiene el número <4471820093>
        mi número de cuenta es el <4471820093>
        Mi cuenta de ahorros (núm. <4471820093>) está vacía.
        la cuenta termina en <4471>
        il mio conto presso Norvane ha il numero <4471820093>
        il numero del mio conto corrente è <4471820093>
        a minha conta no Norvane tem o número <4471820093>
        <4471820093> é o número da minha conta
        mijn rekening bij Norvane heeft nummer <4471820093>
        mijn spaarrekening, nr. <4471820093>, staat op nul
        I bank with Chase; my account there is <4471820093>.
        Please use my other account: number <4471820093> at Norvane.
        The number of my savings account is <4471820093>.
        The number for my Chase account: <4471820093>
        My Chase checking account's number is <4471820093>.
        My checking account at Bank of America, N.A. is number <4471820093>.
        Her bank account at the Norvane credit union in Leeds has number <4471820093>
        Their account no at the Norvane is <4471820093>
        His Barclays account, sort code <20-41-18>, number <87654321>, is new.
        Barclays <20-41-18 87654321> is my current account
        Deposit it to <4471820093>, my Chase account.
        Transfer the money to my savings account <4471820093> please.
        Transfer to account ending <4471>.
        Wire to Chase account <4471820093> (routing <021000021>).
        Wire to Chase, account <4471820093>, ABA <021000021>
        Chase routing number: <021000021>. Account: <4471820093>.
        Chase account & routing: <4471820093> / <021000021>
        I have two accounts at Chase: <4471820093> and <4471820101>.
        I have accounts with Chase (<4471820093>) and Norvane (<8472015599>).
        My account numbers: <4471820093>; <4471820101>
        Acct. No.: <4471820093>
        acct num <4471820093>
        a/c no. <87654321>
        A/C: <87654321> S/C: <20-41-18>
        account#<4471820093>
        Account Number <4471820093>
        my account number used to be <4471820093>
        My old account number was <4471820093>, the new one is <8472015599>.
        my acc number is <4471820093>
        My brokerage account at Norvane is <Z12-345678>.
        My Norvane account number is <AB12-4471-20>.
        The account my mother opened for me has the number <4471820093>.
        The account that I share with Tilda is <4471820093>.
        Account in the name of Tilda Arbeit, <4471820093>
        Account name: Tilda Arbeit. Account number: <4471820093>.
        Beneficiary: Tilda Arbeit, account <4471820093>
        direct debit from account <4471820093>
        My bank account number is <four four seven one eight two zero zero nine three>
        My bank account is <44 71 82 00 93>
        My bank account number, <4471-8200-93>, changed.
        remember: <4471820093> = my account number
        <4471820093>: my Chase account
        my Chase account was hacked, it's number <4471820093>
        I gave him my account number (<4471820093>).
        I gave him my account number, which is <4471820093>.
        I gave him my account number – <4471820093> – yesterday.
        the last 4 of my account are <4471>
        My account at Norvane ends with <4471>
        Mein Konto bei der DKB ist <4471820093>.
        Meine Kontonummer bei der Volksbank lautet <4471820093>, BLZ <37050198>.
        Bankverbindung: Kto. <4471820093>, BLZ <370 501 98>, Sparkasse Norstadt
        Überweise es auf das Konto <4471820093> bei der Sparkasse.
        Ich habe ein Konto bei der Sparkasse mit der Nummer <4471820093>.
        Ich habe ein Konto bei der Sparkasse. Die Kontonummer ist <4471820093>.
        Die Nummer von meinem Konto ist <4471820093>.
        mon compte à la Banque Norvane a le numéro <4471820093>
        J'ai un compte chez BNP, numéro <4471820093>.
        Le numéro de mon compte est le <4471820093>.
        mon compte chez BNP est le <4471820093>
        Tengo una cuenta en BBVA, número <4471820093>.
        El número de mi cuenta es <4471820093>.
        Mi cuenta con BBVA es la <4471820093>.
        Mi cuenta bancaria del Santander es <4471820093>
        Ho un conto presso Intesa, numero <4471820093>.
        Il mio conto in Intesa è il <4471820093>.
        Il mio numero di conto è <4471820093>
        Tenho uma conta no Itaú, número <4471820093>.
        O número da minha conta é <4471820093>.
        Ik heb een rekening bij ING, nummer <4471820093>.
        Mijn rekeningnummer bij ING is <4471820093>.
        My account and routing numbers are <4471820093> and <021000021>.
        The routing and account numbers are <021000021> and <4471820093>
        Remember that my Wells Fargo account, the one ending in <4471>, pays the rent.
        My Chase acct (#<4471820093>) auto-pays Netflix.
        Tilda's account at Norvane Credit Union is <4471820093-01>.
        I'd like the refund on account number <4471820093>, please.
        Refund to: account <4471820093> / routing <021000021>
        Bank: Chase | Account: <4471820093> | Routing: <021000021>
        Direct deposit: Chase, checking, account <4471820093>
        I closed account no. <4471820093> with Chase last year.
        the user said their chase account number was <4471820093>
        User's bank account number: <4471820093>.
        User has a Chase checking account with number <4471820093>
        User has Chase checking account number ending in <0093>
        User's savings account (Norvane, <4471820093>) is joint.
        user shared account number <4471820093> and routing number <021000021>
        Her Chase savings account has account number <4471820093>.
        Account number for the joint Chase account is <4471820093>
        Use account number <4471820093> for rent and <8472015599> for savings.
        My rent account is number <4471820093>, my savings account number <8472015599>.
        I transferred money from my account <4471820093> to her account <8472015599>
        My Revolut account's number: <4471820093>
        Here's my account number → <4471820093>
        Account number - <4471820093>
        Account number (Chase) <4471820093>
        Account number [<4471820093>]
        Account number "<4471820093>"
        My account number? <4471820093>.
        Q: account number? A: <4471820093>
        What's my account number? It's <4471820093>.
        sort code: <20 41 18> account: <8765 4321>
        Sort code is <204118> and account number is <87654321>.
        Sort code and account number: <20-41-18 87654321>
        Mein Konto: Sparkasse, Nummer <4471820093>
        Meine Kontonummer ist die <4471820093> bei der Sparkasse
        Konto-Nummer: <4471820093>
        Kontonummer (Sparkasse): <4471820093>
        Konto Nr <4471820093> BLZ <37050198>
        Unser gemeinsames Konto bei der Norvane hat die Kontonummer <4471820093>.
        Sein Konto endet mit <0093>.
        Die letzten vier Ziffern meines Kontos sind <0093>.
        die Kontonummer lautet wie folgt: <4471820093>
        Mon compte bancaire (Société Générale) porte le n° <4471820093>.
        Mon numéro de compte, c'est <4471820093>.
        Le compte se termine par <0093>
        les quatre derniers chiffres de mon compte sont <0093>
        Mi número de cuenta del BBVA es <4471820093>
        Mi cuenta del BBVA termina en <0093>.
        El número de cuenta: <4471820093>
        Numero conto: <4471820093>
        Il mio conto finisce con <0093>
        Il conto corrente di Tilda è il numero <4471820093>
        Meu número da conta é <4471820093>
        A conta da Tilda termina em <0093>
        Mijn rekening eindigt op <0093>
        het rekeningnummer van Tilda is <4471820093>
    """,
    "PASSPORT": """
        my passport, number <C01X00T47>
        I renewed my passport (no. <C01X00T47>) in May.
        Her passport from Norway has the number <567843219>.
        <C01X00T47> is my passport number.
        Mein Reisepass hat die Nummer <C01X00T47>.
        mon passeport, numéro <12AB34567>, a expiré
        mi pasaporte, con número <AAB123456>
        il mio passaporto ha il numero <YA1234567>
        My passport is <C01X00T47>.
        My passport from Germany is <C01X00T47>.
        Passport <C01X00T47> expires in 2031.
        <C01X00T47> – my passport
        I lost my passport; its number is <C01X00T47>.
        My passport number, <C01X00T47>, is on file.
        My US passport (<567843219>) expires soon.
        Passnummer: <C01X00T47>
        Mein Pass hat die Nummer <C01X00T47>.
        I hold passport number <C01X00T47> issued in Bonn
        Passport: German, no. <C01X00T47>
        Tilda's passport no is <C01X00T47>
        My passport number used to be <C01X00T47>
        My new passport (issued 2021) has number <C01X00T47>.
        Mijn paspoort heeft nummer <NXX4471B8>
    """,
    "DRIVER_LICENSE": """
        my driving licence, number <BRENN851204AB9XY>, is new
        Her driver's license from Ohio has the number <RT849201>.
        <B072RRE2I55> (Führerschein)
        mein Führerschein aus Köln, Nr. <B072RRE2I55>
        My driver's license (number <D1234567>) is from Ohio.
        My license number is <D1234567>.
        My driver's license is from California, number <D1234567>
        Driving licence: <MORGA753116SM9IJ>
        My driving licence number is <BRENN851204AB9XY>.
        My driver's licence ends in <201>
        My Ohio driver's license number: <RT849201>.
    """,
    "NATIONAL_ID": """
        my national ID card, the number is <X8842019>
        Mein Personalausweis hat die Nummer <L01X00T471>.
        my health insurance with Norvane, number <A123456780>
        My insurance policy with Norvane has the number <NV-4471820>.
        my insurance policy number at Norvane is <NV-4471820>
        <A123456780> is my member ID
        mijn identiteitskaart, nummer <IRXX44718>
        My national insurance number, <AB 12 34 56 C>, is needed
        Mi DNI, número <87654321X>
        Mi DNI (<87654321X>)
        <87654321X> es mi DNI
        il mio codice fiscale è <BRNLVA80E43H501X>
        My insurance number at AOK is <A123456780>.
        Meine Versichertennummer bei der AOK ist <A123456780>.
        My member ID with Norvane Health is <NVH44718200>.
        my health insurance policy, no. <NV-4471820>
        My policy number with Norvane is <NV-4471820>
        my id card, number <L01X00T471>
        Ma carte d'identité porte le numéro <880692310285>
        La mia carta d'identità ha il numero <CA12345AB>
        My insurance policy (no. <NV-4471820>) with Norvane lapsed.
    """,
    "TAX_ID": """
        my tax ID, number <4471820093>
        Meine Steuernummer beim Finanzamt Köln ist <4471820093>.
        <DE447182009> is our VAT number
        My tax ID with the IRS is <12-3456789>.
        My tax number is <181/815/08155>
        Meine Steuer-ID ist die <57549285017>
    """,
    "US_SSN": """
        my social security card, number <219-09-4471>
        My social security number, as of my card, is <219-09-4471>.
        <219-09-4471> is my SSN
        the last four of my SSN are <4471>
        My SSN ends in <4471>.
        My SSN: <219-09-4471>
        my social is <219094471>
        My SSN, if you need it, is <219-09-4471>.
    """,
    "CREDIT_CARD": """
        My Visa card ends in <4471>.
        the card from Norvane, number <4111 1111 1111 1112>, is lost
        card ending in <4471>
        My debit card, ending <4471>, expired.
    """,
}  # fmt: skip
BRACKETED = re.compile(r"<([^<>]+)>")


def lines(block: str) -> list[str]:
    """The sentences of a block."""
    return [line.strip() for line in block.strip().splitlines()]


@pytest.mark.parametrize(
    ("entity_type", "sentence"),
    [(entity_type, line) for entity_type, block in TOLD.items() for line in lines(block)],
)
def test_a_told_number_is_found(entity_type: str, sentence: str, values_of: Values) -> None:
    """Every number of the sentence, whole, and of the type of what it belongs to."""
    numbers = BRACKETED.findall(sentence)
    found = values_of(entity_type, BRACKETED.sub(r"\1", sentence))
    assert [re.sub(r"^\W+", "", each) for each in found] == numbers
