package account_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
)

const day = 24 * time.Hour

func TestRegistry_KeysToRotate(t *testing.T) {
	registryTests{
		"gives notice in time": func(t fixture) {
			kinds := map[string]time.Duration{"never": 0, "90 days": 90 * day, "30 days": 30 * day, "365 days": 365 * day}
			keys := map[string]string{}
			for name, lifetime := range kinds {
				k, _ := t.mustKey(lifetime)
				keys[k.ID] = name
			}
			const no, soon, now = account.NoNotice, account.Notice("soon"), account.RotateUrgent
			for _, step := range []struct {
				at   time.Duration
				want map[string]account.Notice
			}{
				{0, map[string]account.Notice{"never": no, "90 days": no, "30 days": no, "365 days": no}},
				{15*day - time.Microsecond, map[string]account.Notice{"never": no, "90 days": no, "30 days": no, "365 days": no}},
				{15 * day, map[string]account.Notice{"never": no, "90 days": no, "30 days": soon, "365 days": no}},
				{27 * day, map[string]account.Notice{"never": no, "90 days": no, "30 days": now, "365 days": no}},
				{30 * day, map[string]account.Notice{"never": no, "90 days": no, "30 days": no, "365 days": no}}, // expired
				{74 * day, map[string]account.Notice{"never": no, "90 days": no, "30 days": no, "365 days": no}},
				{75 * day, map[string]account.Notice{"never": soon, "90 days": soon, "30 days": no, "365 days": soon}},
				{87*day - time.Microsecond, map[string]account.Notice{"never": soon, "90 days": soon, "30 days": no, "365 days": soon}},
				{87 * day, map[string]account.Notice{"never": soon, "90 days": now, "30 days": no, "365 days": now}},
				{89 * day, map[string]account.Notice{"never": soon, "90 days": now, "30 days": no, "365 days": now}},
				{90 * day, map[string]account.Notice{"never": now, "90 days": no, "30 days": no, "365 days": now}},
				{91 * day, map[string]account.Notice{"never": now, "90 days": no, "30 days": no, "365 days": now}},
			} {
				t.clock.Set(noon.Add(step.at))
				want := 0
				for _, k := range t.mustKeys(t.account.ID) {
					require.Equal(t, step.want[keys[k.ID]], k.Notice, "%s after %s", keys[k.ID], step.at)
					if k.Notice != no {
						want++
					}
				}
				listed, err := t.KeysToRotate(t.Context(), 100)
				require.NoError(t, err)
				require.Len(t, listed, want, step.at.String())
				require.Len(t, t.mustKeys(t.account.ID), len(kinds), "expired keys stay listed")
			}
		},
		"gives no notice of keys that were rotated or revoked": func(t fixture) {
			old, _ := t.mustKey(0)
			revoked, _ := t.mustKey(0)
			t.clock.Advance(91 * day)
			made, _, err := t.Rotate(t.Context(), old.ID, time.Hour)
			require.NoError(t, err)
			require.NoError(t, t.Revoke(t.Context(), revoked.ID))
			listed, err := t.KeysToRotate(t.Context(), 100)
			require.NoError(t, err)
			require.Empty(t, listed)
			require.Equal(t, account.NoNotice, made.Notice)
			require.Equal(t, 91, old.AgeAt(t.clock.Now()))
		},
	}.run(t)
}

func TestRegistry_KeyPage(t *testing.T) {
	registryTests{
		"returns the newest keys first, page by page": func(t fixture) {
			var want []string
			for range 5 {
				k, _ := t.mustKey(0)
				want = append([]string{k.ID}, want...)
				t.clock.Advance(time.Microsecond)
			}
			var got []string
			for after := ""; ; after = got[len(got)-1] {
				page, err := t.KeyPage(t.Context(), t.account.ID, after, 2)
				require.NoError(t, err)
				if len(page) == 0 {
					break
				}
				for _, k := range page {
					got = append(got, k.ID)
				}
			}
			require.Equal(t, want, got)
		},
		"changes one key of the account": func(t fixture) {
			k, token := t.mustKey(0)
			require.Equal(t, token[len(token)-4:], k.LastFour)
			require.NoError(t, t.RenameKey(t.Context(), k.ID, "Scanner"))
			require.ErrorIs(t, t.RenameKey(t.Context(), k.ID, ""), account.ErrName)
			require.ErrorIs(t, t.RenameKey(t.Context(), "key_nobody", "x"), account.ErrNoKey)
			allow, err := account.ParseAllow([]string{"198.51.100.0/24"})
			require.NoError(t, err)
			require.NoError(t, t.SetAllow(t.Context(), k.ID, allow))
			require.ErrorIs(t, t.authenticate(token), account.ErrOutOfRange)
			got, err := t.KeyOf(t.Context(), t.account.ID, k.ID)
			require.NoError(t, err)
			require.Equal(t, []any{"Scanner", allow}, []any{got.Name, got.Allow})
			_, err = t.KeyOf(t.Context(), t.mustCreate("Another", "free").ID, k.ID)
			require.ErrorIs(t, err, account.ErrNoKey, "a key of another account")
		},
		"matches a leaked key to its record": func(t fixture) {
			k, token := t.mustKey(0)
			require.NoError(t, t.Revoke(t.Context(), k.ID))
			got, err := t.KeyByToken(t.Context(), token)
			require.NoError(t, err)
			require.Equal(t, k.ID, got.ID)
			_, err = t.KeyByToken(t.Context(), account.NewToken())
			require.ErrorIs(t, err, account.ErrNoKey)
			_, err = mustNew(t, t.store, account.Options{}).KeyByToken(t.Context(), token)
			require.ErrorIs(t, err, account.ErrSecret)
		},
	}.run(t)
}

func TestRegistry_Suspend(t *testing.T) {
	registryTests{"refuses the keys of an account until it is resumed": func(t fixture) {
		_, token := t.mustKey(0)
		require.NoError(t, t.Suspend(t.Context(), t.account.ID))
		require.ErrorIs(t, t.authenticate(token), account.ErrSuspended)
		require.ErrorIs(t, account.ErrSuspended, account.ErrDenied)
		a, err := t.Find(t.Context(), t.account.ID)
		require.NoError(t, err)
		require.Equal(t, noon, a.Suspended)
		require.NoError(t, t.Resume(t.Context(), t.account.ID))
		require.NoError(t, t.authenticate(token))
		require.ErrorIs(t, t.Suspend(t.Context(), "acc_nobody"), account.ErrNoAccount)
		require.NoError(t, t.Registry.Rename(t.Context(), t.account.ID, "New name"))
		page, err := t.Page(t.Context(), "", 10)
		require.NoError(t, err)
		require.Equal(t, "New name", page[0].Name)
	}}.run(t)
}
