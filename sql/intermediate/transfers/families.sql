-- Accounts of these books that are sub-accounts of another account of these books, by the answers for the parent: futures
-- assets of sub-accounts (4.13), their e-mail records (4.3), the accounts of a risk unit (4.16).
-- grain: one row per parent and sub-account
with
reported as (
  select account as parent, user_id as uid from main.subaccount_assets
  union
  select account, sub_uid from main.subaccount_emails
  union
  select account, unnest(json_texts(case when sub_account_uids like '[%' then sub_account_uids else '[]' end))
  from main.ltv
)
select reported.parent as parent, accounts.account as sub
from reported
join main.accounts as accounts on accounts.uid = reported.uid
where accounts.account <> reported.parent
