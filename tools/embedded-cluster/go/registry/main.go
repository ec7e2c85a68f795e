// A registry of images with one user. The configuration of the distribution server is its only argument; with
// "htpasswd USER", the password on standard input, it prints that user's line of a password file instead.
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/distribution/distribution/v3/registry"
	_ "github.com/distribution/distribution/v3/registry/auth/htpasswd"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/filesystem"
	"golang.org/x/crypto/bcrypt"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "htpasswd" {
		printUser(os.Args[2])
		return
	}
	registry.RootCmd.SetArgs([]string{"serve", os.Args[1]})
	if err := registry.RootCmd.Execute(); err != nil {
		log.Fatal(err)
	}
}

func printUser(name string) {
	password, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(strings.TrimSuffix(string(password), "\n")), bcrypt.MinCost)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s:%s\n", name, hash)
}
