package dashboard

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// form is a form that was sent: its values and what is wrong with them.
type form struct {
	values func(name string) string
	errors map[string]string // by field; "" for the form as a whole
}

// newForm returns the form that the call carries.
func (c *Call) newForm() *form { return &form{values: c.Form, errors: map[string]string{}} }

// newFormOver returns the form that the call carries. Fields of other forms on the same page keep the values of start.
func (c *Call) newFormOver(start *form) *form {
	f := c.newForm()
	f.values = func(name string) string {
		if c.R.PostForm.Has(name) {
			return c.Form(name)
		}
		return start.values(name)
	}
	return f
}

// emptyForm returns a form before anybody has filled it in, with the values to begin with.
func emptyForm(values map[string]string) *form {
	return &form{values: func(name string) string { return values[name] }}
}

// Value returns what was entered in a field. Passwords are never sent back.
func (f *form) Value(name string) string {
	if f == nil {
		return ""
	}
	return f.values(name)
}

// Error returns what is wrong with a field, "" if nothing is.
func (f *form) Error(name string) string {
	if f == nil {
		return ""
	}
	return f.errors[name]
}

// reject marks a field as wrong; text says what is expected. Only the first reason for a field is kept.
func (f *form) reject(field, text string) {
	if _, already := f.errors[field]; !already {
		f.errors[field] = text
	}
}

// rejectIf marks the field if err is one of the correctable errors, and reports whether it did. The text is that of the
// correctable error, without the context that err may add.
func (f *form) rejectIf(field string, err error, correctable ...error) bool {
	for _, candidate := range correctable {
		if errors.Is(err, candidate) {
			f.reject(field, sentence(candidate))
			return true
		}
	}
	return false
}

func (f *form) isValid() bool { return len(f.errors) == 0 }

// retry shows the form again with what is wrong.
func (c *Call) retry(name string, data any, f *form) error {
	return c.renderForm(http.StatusUnprocessableEntity, name, data, f)
}

// sentence returns the text of an error for people: a sentence, and without hints for the command line.
func sentence(err error) string {
	text, _, _ := strings.Cut(err.Error(), "; `uncial ")
	if text == "" {
		return ""
	}
	text = strings.ToUpper(text[:1]) + text[1:]
	return strings.TrimSuffix(text, ".") + "."
}

// field is an input of a form, for the template "field".
type field struct {
	Name, Label, Type, Value, Hint, Error, Autocomplete string
	Required                                            bool
	Max                                                 int
}

// newField returns an input. Settings come in pairs: type, hint, autocomplete, max, and required with "yes" or "no" (default
// yes).
func newField(f *form, name, label string, settings ...any) (field, error) {
	in := field{Name: name, Label: label, Type: "text", Value: f.Value(name), Error: f.Error(name), Required: true}
	for i := 0; i+1 < len(settings); i += 2 {
		value := fmt.Sprint(settings[i+1])
		switch settings[i] {
		case "type":
			in.Type = value
		case "hint":
			in.Hint = value
		case "autocomplete":
			in.Autocomplete = value
		case "value":
			in.Value = value
		case "required":
			in.Required = value == "yes"
		case "max":
			if n, ok := settings[i+1].(int); ok {
				in.Max = n
			}
		default:
			return field{}, fmt.Errorf("field %s has no setting %v", name, settings[i])
		}
	}
	if in.Type == "password" {
		in.Value = ""
	}
	return in, nil
}

// DescribedBy are the ids of hint and error, for screen readers.
func (f field) DescribedBy() string {
	var ids []string
	if f.Hint != "" {
		ids = append(ids, f.Name+"-hint")
	}
	if f.Error != "" {
		ids = append(ids, f.Name+"-error")
	}
	return strings.Join(ids, " ")
}
