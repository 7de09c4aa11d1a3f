package neural

import (
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"testing"
	"time"
)

func TestTry(t *testing.T) {
	m, err := Open("/root/work/hand.uhm")
	if err != nil {
		t.Fatal(err)
	}
	var all []struct{ F, T, C, S string }
	b, _ := os.ReadFile("/root/work/lines/index.json")
	json.Unmarshal(b, &all)
	for _, k := range available() {
		r := &Recognizer{net: newNetwork(m, k)}
		out, _ := os.Create("/root/work/read-" + k.name + ".tsv")
		var took time.Duration
		n, px := 0, 0
		for i, l := range all {
			if i%4 != 0 {
				continue
			}
			f, _ := os.Open("/root/work/lines/" + l.F)
			img, err := png.Decode(f)
			f.Close()
			if err != nil {
				t.Fatal(err)
			}
			g := img.(*image.Gray)
			t0 := time.Now()
			ws := r.Read(g)
			took += time.Since(t0)
			n++
			px += g.Rect.Dx()
			text := ""
			for i, w := range ws {
				if i > 0 {
					text += " "
				}
				text += w.Text
			}
			fmt.Fprintf(out, "%s\t%s\t%s\n", l.S, l.T, text)
		}
		out.Close()
		fmt.Println(k.name, n, "lines", px/n, "px", took/time.Duration(n), "a line")
	}
}
