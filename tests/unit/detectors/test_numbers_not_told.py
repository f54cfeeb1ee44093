"""Orders, telephones, amounts, dates and counts are nobody's account or document."""

from collections.abc import Callable

import pytest

Values = Callable[[str, str], list[str]]

TYPES = (
    "BANK_ACCOUNT", "CREDIT_CARD", "DRIVER_LICENSE", "NATIONAL_ID", "PASSPORT", "TAX_ID", "US_SSN",
)  # fmt: skip
# Sentences of the words for accounts and documents, in which no number is of one.
NOT_TOLD = """
    account_id: 4471820
    accountId: 4471820
    acc_4471820
    SELECT * FROM account WHERE id = 4471820
    My AWS account id is 123456789012
    4471820 is the account id
    account ids 4471820, 4471821
    The account (ID 4471820) was closed.
    my account manager, 0171 5550134
    call about the account: +44 20 7946 0018
    Call me about the account: 020 7946 0018
    Ask my account manager Tom, number 0171 5550134.
    My account manager's number is 0171 5550134.
    My account, phone number 0171 5550134, was locked.
    0171 5550134 is the number of my account manager.
    0171 5550134 is the number to call about my account.
    0171 5550134 (account support)
    The account balance 12345678 is wrong.
    account balance: 12345678
    12345678 is my account balance
    account 3 of 12000000
    My account has 12345678 points.
    The account with 12345678 followers is closed.
    I have an account, order number 12345678 is on it.
    Log in to your account and look for order no. 12345678.
    My account shows invoice number 20231044.
    The ticket about my account has the number 12345678.
    My account, ticket number 12345678, is still locked.
    I have had an account with Chase since 2019.
    I opened the account on 2019-05-12.
    I opened the account 12-05-2019 in Leeds.
    My account was opened 20190512.
    My account is 2019 years of dust.
    The account ended in 2019.
    The subscription ends in 2027.
    The story ends in 4471 words.
    He took account of 12345678 voters.
    They account for 12000000 of the visits.
    On account of 12345678 complaints the shop closed.
    We have 12345678 accounts.
    order 12345678, account closed
    Order 12345678 is in my account.
    I paid 12345678 dollars into my account.
    My account with Chase is 12000000 dollars in the red.
    The account at Chase: 1,234,567.89
    My account with Chase is version 4471820.
    The savings number 12345678 in total.
    La ville compte 1234567 habitants.
    La ciudad cuenta con 1500000 habitantes.
    Hay que tener en cuenta 12345678 votos.
    Il conto è di 1234567 euro.
    O país conta com 12345678 habitantes.
    Wir rechnen mit 12345678 Einwohnern auf dem Konto.
    Mein Konto ist seit 2019 leer, Bestellung Nummer 12345678.
    Mein Kundenberater für das Konto hat die Nummer 0171 5550134.
    mon compte, commande numéro 12345678
    mijn rekening, bestelling nummer 12345678
    My passport took 12 weeks, case number 12345678.
    The passport office, phone number 0171 5550134
    My passport photo cost 12 euros, order number C01X00T47.
    My driving licence arrived with flight number BA4471.
    the licence for version 44718200 expired
    My insurance with Norvane costs 4471 a year.
    A tax of 12345678 was paid on the order with number 447182.
    Social events number 219 a year.
    The card game ends in 2027.
    the card was sent with tracking number 4111 2222 3333 4444
    Paul's account of the story runs to 120000 words.
I opened an account with Chase in 2019 and moved 12345678 files.
My account was charged 12345678 times.
My account rep's number is 415-555-0134.
Talk to accounts, extension 447182.
Accounts department: 020 7946 0018
Accounts payable, 020 7946 0018
Account 12 of 345678
The account has 4471 dollars left.
My account balance is 4471820.
My account shows a balance of 4471820
Account limit: 4471820
There are 4471820 accounts on the site.
My account was opened in Leeds, order number 20231044.
I created the account on 12.05.2019.
The account expires 2027-05-12.
The account expires 05/2027.
Password reset for account on 20190512
I can't log in to my account, error 500123.
My account shows error code 500123
my account (since 2019) is fine
account: see ticket 447182
his account of 1945 is moving
Given an account of 120000 words
Take into account 4471820 rows of data.
No account is needed, call 020 7946 0018.
Konto seit 2019
Mein Konto hat 12345678 Euro.
Auf meinem Konto sind 12345678 Euro.
Der Kontostand ist 12345678.
Rufen Sie wegen des Kontos an: 030 12345678
Das Konto wurde am 12.05.2019 eröffnet.
Nach dem Konto fragte er Ticket Nummer 447182
le compte rendu numéro 12 de 2019
au bout du compte 1234567 personnes
La cuenta del restaurante fue de 1234567 pesos.
cuenta atrás de 123456 segundos
de rekening van het restaurant was 123456 euro
rekening houden met 123456 bezoekers
My passport expires in 2027.
My passport expires 2027-05-12.
The passport queue had 12345 people.
My passport was issued on 12 May 2019, and the flight number is BA4471.
passport control at gate 44718
My driving licence has 6 points since 2019.
My licence expires 20270512
My insurance cost 447182 yen.
My insurance claim number is 44718
My insurance agent's number is 415-555-0134.
The insurance company's phone number is 0171 5550134.
The card costs 44718 points.
Business card: 415-555-0134
The card has 16 digits
Graphics card, serial number 4471820093441
The SIM card number is 4471820093
My card game club has 123456 members.
I am sure the number 44718 is prime.
Estoy seguro de que el número 44718 es primo.
My tax is 447182.
My VAT is 20 percent.
The aba routing protocol was 447
The routing table has 123456789 routes
Sort code reviews by date 20-10-18
My account was created on May 12, 2019 at 10:30.
I have 447182 points in my account.
My account got 447182 new followers.
My account number of logins was 44.
The account has number one priority.
My Steam account level is 120.
I changed my account password 3 times in 2019.
Account deletion takes 30 days; ticket 447182 tracks it.
My account email bounced, reference 447182.
We support 447182 accounts
account #3
My account's two-factor code was 447182.
The accountant's number is 020 7946 0018.
The accountant charged 447182.
By all accounts, 447182 people came.
On my account: 447182 steps today
He gave an account, and 447182 people read it.
My Amazon account shows order 112-4471820-0938471.
My account has been active for 1234567 seconds.
The bank account holder called from 0171 5550134.
The bank called about my account from 0171 5550134.
Reach the account team on 0171 5550134.
My bank's number is 0171 5550134; my account is fine.
Text 0171 5550134 to unlock the account.
Unlock your account: dial 0171 5550134.
0171 5550134 called about my account.
Invoice 447182 was booked to my account.
447182 is the ticket for my account problem
12345678 people have an account.
On 2026-11-29 the account was closed.
In 20261129 the account closed.
The account closed in 2019 and 447182 others did.
Meine Kontobewegungen: 447182 Zeilen
Das Konto läuft seit 12.05.2019, Vertrag 2019-05-12.
Auf dem Konto liegen 447182.
Konto gesperrt, Rückruf unter 030 12345678.
Le compte est ouvert depuis 2019.
Il conto per 4 persone: 120 euro
La cuenta, por favor: 120 euros
My passport photo is 600x600 pixels.
My passport has 34 pages.
The passport appointment is 2027-05-12 10:30.
I need a passport by 12/05/2027.
My licence plate and licence cost 12000 last year.
The MIT license, version 20190512
My card has 4471 points.
I have a card from 2019.
The library card costs 12 euros since 2019.
My visa ends in 2027.
My insurance ends in 2027.
Insurance (2019-2020) was cheap.
Insurance: 1200.50 a year
My health insurance pays 12450 a year.
Tax: 12450
The national ID debate of 2019 had 447182 comments.
The number 447182 is on my passport photo receipt.
"""  # fmt: skip


@pytest.mark.parametrize("sentence", NOT_TOLD.strip().splitlines())
def test_another_number_is_left_alone(sentence: str, values_of: Values) -> None:
    """Whatever else is found in it, nothing is of these types."""
    assert [values_of(each, sentence.strip()) for each in TYPES] == [[] for _ in TYPES]
